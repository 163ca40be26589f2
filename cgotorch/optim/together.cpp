// All files of the package, compiled together, because parsing libtorch's headers takes longer than
// the code of this package, and there is no other way to read them only once. Each file is empty by
// itself.
#define GOTORCH_TOGETHER
#include "step.cpp"
#include "rule.cpp"
#include "adafactor.cpp"
#include "adagrad.cpp"
#include "adam.cpp"
#include "adamax.cpp"
#include "muon.cpp"
#include "rprop.cpp"
#include "sgd.cpp"
#include "optimizers.cpp"
#include "clip.cpp"
#include "lbfgs.cpp"
