// Compiles all files of the package as one unit, so that libtorch's headers, which take
// longer than the package's own code, are parsed only once. Outside this unit, the files
// are empty.
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
