// One file to the compiler: libtorch's headers take it longer than all that the files
// of this package say, and there is no other way to read them once. Each is empty by
// itself.
#define GOTORCH_TOGETHER
#include "step.cpp"
#include "rule.cpp"
#include "adafactor.cpp"
#include "adagrad.cpp"
#include "adam.cpp"
#include "adamax.cpp"
#include "rprop.cpp"
#include "sgd.cpp"
#include "optimizers.cpp"
#include "clip.cpp"
#include "lbfgs.cpp"
