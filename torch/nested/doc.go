// Package nested has nested tensors, as torch.nested: lists of tensors of several
// sizes that count as one, in the strided layout.
//
//	n := nested.NestedTensor([]*torch.Tensor{a, b})
//	x := nested.ToPaddedTensor(n, 0)
//	parts := n.Unbind(0)
//
// A nested tensor has no shape: Shape is empty, and Dim and Numel are 0. Most
// operators do not take one; those of layers and of attention do. The layout
// torch.jagged is a class of Python's over plain tensors, which nn/rnn and
// masks stand for here.
package nested
