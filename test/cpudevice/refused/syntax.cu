__global__ void broken(int *p) { *p = undeclared; }
int main() {}
