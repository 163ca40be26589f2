// Package optable finds the functions of package torch/aten by the names of their
// operators, for tests that replay PyTorch's calls. It is separate from torch/aten
// because importing it links all functions.
package optable
