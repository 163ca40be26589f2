// Package optable finds the functions of package torch/aten by the names of their
// operators, for tests that replay what PyTorch called. It is apart from torch/aten
// since whoever imports it links all of them.
package optable
