package rnn_test

import (
	"fmt"
	"testing"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn/rnn"
	"github.com/gotorch/gotorch/torch"
)

// Tests each option of each function: alone, after the same option with a different
// value, and together with a nil option.
func TestOptionRows(t *testing.T) {
	values := optiontest.Values
	shown := func(of func() fmt.Stringer) optiontest.Outcome {
		var text string
		torch.Scope(func() {
			err := torch.Try(func() { text = of().String() })
			e, ok := err.(*torch.Error) //nolint:errorlint // Try returns no other
			if ok && e.Message != "" && !isOption(e) {
				text = e.Message
			} else if err != nil {
				panic(err)
			}
		})
		return optiontest.Outcome{"does": text}
	}
	first := values(rnn.BatchFirst(true), rnn.BatchFirst(false))
	unsorted := values(rnn.EnforceSorted(false), rnn.EnforceSorted(true))
	value := values(rnn.PaddingValue(0), rnn.PaddingValue(2))
	scoped(t, func() {
		x := torch.Arange(16).Reshape(2, 2, 4)
		parts := []*torch.Tensor{torch.FromSlice([]int64{1}), torch.FromSlice([]int64{2, 3})}
		packed := rnn.PackSequence(parts, rnn.EnforceSorted(false))
		numbers := rnn.PackSequence([]*torch.Tensor{torch.Ones(torch.Shape{2, 2, 2, 2})})
		optiontest.Read(t, ".", "../../torch").Run(t, map[string]optiontest.Row{
			"PackPaddedSequence": optiontest.For(func(opts ...rnn.PackOption) optiontest.Outcome {
				return shown(func() fmt.Stringer { return rnn.PackPaddedSequence(x, []int64{2, 2}, opts...) })
			}, first, unsorted),
			"PackSequence": optiontest.For(func(opts ...rnn.PackSequenceOption) optiontest.Outcome {
				return shown(func() fmt.Stringer { return rnn.PackSequence(parts, opts...) })
			}, unsorted),
			"PadPackedSequence": optiontest.For(func(opts ...rnn.PadPackedOption) optiontest.Outcome {
				return shown(func() fmt.Stringer {
					padded, _ := rnn.PadPackedSequence(packed, opts...)
					return padded
				})
			}, first, value, values(rnn.TotalLength(3), rnn.TotalLength(2))),
			"PadSequence": optiontest.For(func(opts ...rnn.PadOption) optiontest.Outcome {
				return shown(func() fmt.Stringer { return rnn.PadSequence(parts, opts...) })
			}, first, value, values(rnn.PaddingSideLeft, rnn.PaddingSide("right"))),
			"UnpadSequence": optiontest.For(func(opts ...rnn.UnpadOption) optiontest.Outcome {
				return shown(func() fmt.Stringer { return rnn.UnpadSequence(x, []int64{1, 2}, opts...)[1] })
			}, first),
			"PackedSequence.To": optiontest.For(func(opts ...torch.ToOption) optiontest.Outcome {
				return shown(func() fmt.Stringer {
					p := numbers.To(opts...)
					return says(fmt.Sprint(p.Data.DType(), p.Data.Device(), p.Data.Stride(),
						p.Data.SharesStorage(numbers.Data)))
				})
			},
				values(torch.Float64, torch.Float32),
				values(torch.DType(0), torch.Float64),
				values(torch.Meta, torch.CPU),
				values(torch.Device(0), torch.Meta),
				values(torch.ChannelsLast, torch.ContiguousFormat),
				values(torch.Strided, torch.Layout(0)).Hides("does", "the data is strided already"),
				values(torch.NonBlocking(true), torch.NonBlocking(false)).Hides("does", "nothing waits on the CPU"),
				values(torch.Copy(true), torch.Copy(false)),
			),
		})
	})
}

// isOption reports whether the error is about an option, and not about the sequences.
func isOption(e *torch.Error) bool { return len(e.Message) > 13 && e.Message[:13] == "argument opts" }

type says string

func (s says) String() string { return string(s) }
