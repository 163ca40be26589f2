// Package nested provides nested tensors, like torch.nested: a list of tensors with
// different sizes as one tensor, in the strided layout.
//
//	n := nested.NestedTensor([]*torch.Tensor{a, b})
//	x := nested.ToPaddedTensor(n, 0)
//	parts := n.Unbind(0)
//
// A nested tensor has no shape: Shape is empty, and Dim and Numel are 0. Most operators do not
// accept nested tensors; the operators of layers and attention do. The layout torch.jagged is not
// supported, because PyTorch implements it in Python. Use padding and masks, or nn/rnn, instead.
package nested
