// Package torchtest provides helpers for tests of programs that use gotorch:
//
//   - [AllClose] compares tensors, within the tolerance of [Rounding] if needed.
//   - [GradCheck] and [GradGradCheck] check first and second derivatives.
//   - [CheckLeaks] checks that a test leaves no native memory behind.
//   - [LoadGoldens] reads values that another program, such as PyTorch, computed.
//   - [Golden] compares tensors with those of an earlier run, which a flag updates.
//   - [Repeatable] checks that the same seed gives the same result.
//
// The functions report failures to a testing.TB and continue, so that a test shows all
// its failures. Functions that check something return whether the check passed.
package torchtest
