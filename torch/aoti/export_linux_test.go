package aoti

// Features reads /proc/cpuinfo, for tests.
var Features = features
