// A file without CUDA: tasks call wrappers that launch elsewhere.
void launch(float *a, int n);
int main() {
  float *a = nullptr;
  for (int i = 0; i < 3; ++i)
#pragma streammap task inout(a[0:10]) name(step, i)
    launch(a, 10);
#pragma streammap task inout(a[0:10) // expect-error(malformed-clause) {{expected ')' to close 'inout('}}
  launch(a, 10);
#pragma streammap trips(3) // expect-error(trips-in-host-code) {{}}
  for (int i = 0; i < 3; ++i)
    launch(a, i);
#pragma streammap wait
}
