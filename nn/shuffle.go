package nn

import (
	"fmt"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// PixelShuffle rearranges channels into pixels, which enlarges images by an integer
// factor in each direction. Follows torch.nn.PixelShuffle.
type PixelShuffle struct {
	Base
	UpscaleFactor int64
}

// NewPixelShuffle makes a PixelShuffle. Follows torch.nn.PixelShuffle.
func NewPixelShuffle(factor int64, opts ...InitOption) *PixelShuffle {
	l := &PixelShuffle{UpscaleFactor: factor}
	l.buildPlain(l, opts)
	return l
}

func (l *PixelShuffle) describe() string { return fmt.Sprintf("upscale_factor=%d", l.UpscaleFactor) }

// Forward takes x of shape (*, C*f*f, H, W), and returns (*, C, H*f, W*f). It
// panics as F.PixelShuffle does.
func (l *PixelShuffle) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return F.PixelShuffle(x, l.UpscaleFactor) })
}

// PixelUnshuffle rearranges pixels into channels, which shrinks images by an integer
// factor in each direction. Follows torch.nn.PixelUnshuffle.
type PixelUnshuffle struct {
	Base
	DownscaleFactor int64
}

// NewPixelUnshuffle makes a PixelUnshuffle. Follows torch.nn.PixelUnshuffle.
func NewPixelUnshuffle(factor int64, opts ...InitOption) *PixelUnshuffle {
	l := &PixelUnshuffle{DownscaleFactor: factor}
	l.buildPlain(l, opts)
	return l
}

func (l *PixelUnshuffle) describe() string {
	return fmt.Sprintf("downscale_factor=%d", l.DownscaleFactor)
}

// Forward takes x of shape (*, C, H*f, W*f), and returns (*, C*f*f, H, W). It
// panics as F.PixelUnshuffle does.
func (l *PixelUnshuffle) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return F.PixelUnshuffle(x, l.DownscaleFactor) })
}

// ChannelShuffle splits the channels into groups and interleaves them.
// Follows torch.nn.ChannelShuffle.
type ChannelShuffle struct {
	Base
	Groups int64
}

// NewChannelShuffle makes a ChannelShuffle. Follows torch.nn.ChannelShuffle.
func NewChannelShuffle(groups int64, opts ...InitOption) *ChannelShuffle {
	l := &ChannelShuffle{Groups: groups}
	l.buildPlain(l, opts)
	return l
}

func (l *ChannelShuffle) describe() string { return fmt.Sprintf("groups=%d", l.Groups) }

// Forward takes x of shape (N, C, *). It panics as F.ChannelShuffle does.
func (l *ChannelShuffle) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return F.ChannelShuffle(x, l.Groups) })
}
