// Nothing: that there is a C++ file makes Go call the C++ compiler, which reads
// libtorch_check.h first.
