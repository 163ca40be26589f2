// Compiles all files of the package as one unit, because parsing libtorch's headers takes longer
// than compiling the package's own code, and this reads them only once. By itself, each of the
// files is empty.
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
