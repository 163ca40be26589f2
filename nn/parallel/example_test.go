package parallel_test

import (
	"context"
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

// alone returns a group of one rank. Programs call distributed.InitProcessGroup instead.
func alone() *distributed.ProcessGroup {
	store, err := distributed.NewHashStore()
	if err != nil {
		panic(err)
	}
	g, err := distributed.InitProcessGroup(context.Background(), distributed.Gloo, distributed.WithStore(store),
		distributed.Rank(0), distributed.WorldSize(1), distributed.Interfaces("lo"))
	if err != nil {
		panic(err)
	}
	return g
}

// Trains a model on ranks that each have their own batches.
func Example() {
	ctx, group := context.Background(), alone()
	defer group.Close()
	net, err := parallel.NewDistributedDataParallel(ctx, nn.NewLinear(4, 2), group)
	if err != nil {
		panic(err)
	}
	defer net.Close()
	opt := optim.NewSGD(net.Parameters(), optim.LR(0.1))
	for range 3 {
		torch.Scope(func() {
			x, y := torch.Ones(torch.Shape{8, 4}), torch.Zeros(torch.Shape{8}, torch.Int64)
			loss := F.CrossEntropy(net.Forward(x), y)
			opt.ZeroGrad()
			loss.Backward() // the gradients are the mean over all ranks from here on
			opt.Step()
		})
	}
	fmt.Println(net.NamedParameters()[0].Name)
	// Output: module.weight
}

// The gradients of three batches are summed and then averaged once.
func ExampleDistributedDataParallel_NoSync() {
	group := alone()
	defer group.Close()
	net, err := parallel.NewDistributedDataParallel(context.Background(), nn.NewLinear(4, 1, nn.Bias(false)), group)
	if err != nil {
		panic(err)
	}
	defer net.Close()
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1, 4})
		pass := func() { net.Forward(x).Sum().Backward() }
		net.NoSync(func() {
			pass()
			pass()
		})
		pass() // averages the sum of all three
		fmt.Println(net.Parameters()[0].Grad().Float32s())
	})
	// Output: [3 3 3 3]
}

// Runs a module that takes or returns more than one tensor.
func ExampleDistributedDataParallel_ForwardFunc() {
	group := alone()
	defer group.Close()
	model := nn.NewBilinear(2, 3, 1)
	net, err := parallel.NewDistributedDataParallel(context.Background(), model, group)
	if err != nil {
		panic(err)
	}
	defer net.Close()
	torch.Scope(func() {
		a, b := torch.Ones(torch.Shape{5, 2}), torch.Ones(torch.Shape{5, 3})
		out := net.ForwardFunc(func() []*torch.Tensor { return []*torch.Tensor{model.Forward(a, b)} })
		fmt.Println(out[0].Shape())
	})
	// Output: (5, 1)
}

// Registers a hook that halves the number of bytes to send.
func ExampleDistributedDataParallel_RegisterCommHook() {
	group := alone()
	defer group.Close()
	net, err := parallel.NewDistributedDataParallel(context.Background(), nn.NewLinear(4, 1, nn.Bias(false)), group)
	if err != nil {
		panic(err)
	}
	defer net.Close()
	if err := net.RegisterCommHook(parallel.BF16CompressHook); err != nil {
		panic(err)
	}
	torch.Scope(func() {
		net.Forward(torch.Full(torch.Shape{1, 4}, 1.001)).Sum().Backward()
		fmt.Println(net.Parameters()[0].Grad().Float32s())
	})
	// Output: [1 1 1 1]
}

// A layer or a whole network uses the statistics of all ranks.
func ExampleConvertSyncBatchNorm() {
	group := alone()
	defer group.Close()
	model := nn.NewSequential(nn.NewConv2d(3, 8, 3), nn.NewBatchNorm2d(8), nn.NewReLU())
	defer model.Close()
	parallel.ConvertSyncBatchNorm(model, group)
	torch.Scope(func() { fmt.Println(model.Forward(torch.Ones(torch.Shape{2, 3, 8, 8})).Shape()) })
	// Output: (2, 8, 6, 6)
}
