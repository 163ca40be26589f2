package parallel

import (
	"context"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

// AllReduceHook averages gradients. Its results differ from those without a hook only in
// the last bits, because it divides before it sums. Other hooks can call it. Follows
// default_hooks.allreduce_hook.
func AllReduceHook(ctx context.Context,
	b *distributed.GradBucket,
) (func(ctx context.Context) (*torch.Tensor, error), error) {
	if b == nil {
		return nil, noBucket("parallel.AllReduceHook")
	}
	buffer := b.Buffer()
	buffer.DivScalar_(float64(b.Group().Size()))
	work, err := b.Group().AllReduceAsync(ctx, buffer)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (*torch.Tensor, error) { return buffer, work.Wait(ctx) }, nil
}

// FP16CompressHook sends gradients as float16, which halves the bytes of float32. Gradients above
// 65504 become infinite, and very small ones become zero. Follows default_hooks.fp16_compress_hook.
func FP16CompressHook(ctx context.Context,
	b *distributed.GradBucket,
) (func(ctx context.Context) (*torch.Tensor, error), error) {
	if b == nil {
		return nil, noBucket("parallel.FP16CompressHook")
	}
	return compress(ctx, b, torch.Float16)
}

// BF16CompressHook sends gradients as bfloat16, which halves the bytes of float32. bfloat16 has the
// range of float32 and fewer digits. Follows default_hooks.bf16_compress_hook, which requires NCCL.
func BF16CompressHook(ctx context.Context,
	b *distributed.GradBucket,
) (func(ctx context.Context) (*torch.Tensor, error), error) {
	if b == nil {
		return nil, noBucket("parallel.BF16CompressHook")
	}
	return compress(ctx, b, torch.BFloat16)
}

func noBucket(op string) error { return torch.NewError(op, torch.ErrNil, "b", "a nil bucket") }

func compress(ctx context.Context, b *distributed.GradBucket,
	d torch.DType,
) (func(ctx context.Context) (*torch.Tensor, error), error) {
	buffer := b.Buffer()
	small := torch.Disown(buffer.To(d, torch.Copy(true)))
	small.DivScalar_(float64(b.Group().Size()))
	work, err := b.Group().AllReduceAsync(ctx, small)
	if err != nil {
		_ = small.Close()
		return nil, err
	}
	return func(ctx context.Context) (*torch.Tensor, error) {
		defer small.Close()
		if err := work.Wait(ctx); err != nil {
			return nil, err
		}
		return buffer.Copy_(small), nil
	}, nil
}
