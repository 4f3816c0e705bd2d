// Launch wrappers, as many CUDA programs have them: main never sees a kernel.
#pragma once
#include <cuda_runtime.h>

/// One Jacobi sweep over rows [first, first + rows) of a field `width` cells wide.
void launchJacobi(double *next, const double *now, int width, int first, int rows, cudaStream_t stream);

/// Sum over rows [first, first + rows) of the squared change, left in *out.
void launchChange(double *out, const double *next, const double *now, int width, int first, int rows,
                  cudaStream_t stream);
