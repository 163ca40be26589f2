package aoti

// Features parses /proc/cpuinfo.
var Features = features
