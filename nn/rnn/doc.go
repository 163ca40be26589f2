// Package rnn packs and pads sequences of several lengths for recurrent layers, as
// torch.nn.utils.rnn.
//
//	packed := rnn.PackPaddedSequence(x, lengths, rnn.BatchFirst(true), rnn.EnforceSorted(false))
//	out, h, c := lstm.ForwardPacked(packed, nil, nil)
//	padded, lengths := rnn.PadPackedSequence(out, rnn.BatchFirst(true))
//
// The functions panic with a *torch.Error, which names the argument. Their results are
// new tensors, owned by the innermost scope, else by the collector.
package rnn
