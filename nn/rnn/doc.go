// Package rnn packs and pads sequences of different lengths for recurrent layers, as
// torch.nn.utils.rnn does.
//
//	packed := rnn.PackPaddedSequence(x, lengths, rnn.BatchFirst(true), rnn.EnforceSorted(false))
//	out, h, c := lstm.ForwardPacked(packed, nil, nil)
//	padded, lengths := rnn.PadPackedSequence(out, rnn.BatchFirst(true))
//
// The functions panic with a *torch.Error that names the argument; a nil option panics
// with ErrNil. Their results are new tensors that belong to the innermost scope. Outside
// of scopes, the garbage collector frees them.
package rnn
