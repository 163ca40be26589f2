package functional

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// mustBePositive panics with ErrValue unless n is positive.
func mustBePositive(op, arg string, n int64) {
	if n <= 0 {
		panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("expected a positive number, got %d", n)))
	}
}

// PixelShuffle rearranges input of shape (*, C*f*f, H, W) into shape (*, C, H*f,
// W*f). It panics with ErrShape if f*f does not divide the number of channels, and
// with ErrValue for a factor that is not positive.
// Follows torch.nn.functional.pixel_shuffle.
func PixelShuffle(input *torch.Tensor, factor int64) *torch.Tensor {
	const op = "PixelShuffle(input)"
	mustBePositive(op, "factor", factor)
	return unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.PixelShuffle(cx, h, factor) }, input)
}

// PixelUnshuffle rearranges input of shape (*, C, H*f, W*f) into shape (*, C*f*f, H,
// W). It panics with ErrShape if f does not divide the sizes, and with ErrValue for a
// factor that is not positive. Follows torch.nn.functional.pixel_unshuffle.
func PixelUnshuffle(input *torch.Tensor, factor int64) *torch.Tensor {
	const op = "PixelUnshuffle(input)"
	mustBePositive(op, "factor", factor)
	return unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.PixelUnshuffle(cx, h, factor) }, input)
}

// ChannelShuffle splits the channels of input, of shape (N, C, *), into groups and
// interleaves them. It panics with ErrShape for fewer than three dimensions, and with
// ErrValue for a number of groups that is not positive or does not divide the number
// of channels. Follows torch.nn.functional.channel_shuffle.
func ChannelShuffle(input *torch.Tensor, groups int64) *torch.Tensor {
	const op = "ChannelShuffle(input)"
	mustBePositive(op, "groups", groups)
	return unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.ChannelShuffle(cx, h, groups) }, input)
}
