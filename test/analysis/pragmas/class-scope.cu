struct S {
  int a;
#pragma streammap wait // expect-error(not-a-statement) {{'wait' stands where no statement can stand}}
  int b;
};
