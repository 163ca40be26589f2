// Package optable maps the names of operators to the functions of package torch/aten, for
// tests that replay PyTorch's calls. It is separate from torch/aten because importing it
// links all functions.
package optable
