__global__ void broken(int *x) {
  x[threadIdx.x] = undeclared;
}
