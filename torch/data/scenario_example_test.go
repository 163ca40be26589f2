package data_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// clusters returns a dataset of points in the plane. Each point is near one of two centers,
// and its label is the index of the center.
func clusters(n int64) *data.TensorDataset {
	var points, labels *torch.Tensor
	torch.Scope(func() {
		labels = torch.Disown(torch.Arange(0, n, 1).RemainderScalar(2))
		centers := labels.To(torch.Float32).MulScalar(4).SubScalar(2).Unsqueeze(1)
		points = torch.Disown(torch.Randn(torch.Shape{n, 2}).Add(centers))
	})
	return data.NewTensorDataset(points, labels)
}

func newClassifier() *nn.Sequential {
	return nn.NewSequential(nn.NewLinear(2, 16), nn.NewReLU(), nn.NewLinear(16, 2))
}

// evaluate returns the model's mean loss and accuracy. It keeps numbers only, so the
// tensors of each batch are freed when its step ends.
func evaluate(model *nn.Sequential, loader *data.Loader) (loss, accuracy float64) {
	model.Eval()
	defer model.Train()
	right, n := int64(0), int64(0)
	torch.NoGrad(func() {
		for batch := range loader.All() {
			out := model.Forward(batch.Input)
			size := batch.Target.Size(0)
			loss += F.CrossEntropy(out, batch.Target).Item() * float64(size)
			right += out.ArgMax(torch.Dim(1)).Eq(batch.Target).Sum().ItemInt()
			n += size
		}
	})
	return loss / float64(n), float64(right) / float64(n)
}

// A training loop with gradient accumulation over two batches, gradient clipping, a
// warm-up and cosine schedule, and validation after each epoch.
func Example_trainingLoop() {
	torch.ManualSeed(0)
	train, test := clusters(256), clusters(128)
	defer train.Close()
	defer test.Close()
	model := newClassifier()
	defer model.Close()
	opt := optim.NewAdamW(model.Parameters(), optim.LR(0.02))
	defer opt.Close()
	const epochs, accumulate = 4, 2
	loader := data.NewLoader(train, data.BatchSize(16), data.Shuffle(true))
	tests := data.NewLoader(test, data.BatchSize(64))
	steps := int64(epochs * loader.Len() / accumulate)
	sched := schedule.NewSequentialLR(opt, []schedule.Scheduler{
		schedule.NewLinearLR(opt, schedule.StartFactor(0.1), schedule.TotalIters(4)),
		schedule.NewCosineAnnealingLR(opt, int(steps)-4),
	}, []int{4})

	for epoch := range epochs {
		total, norms := 0.0, 0.0
		for batch := range loader.All() {
			loss := F.CrossEntropy(model.Forward(batch.Input), batch.Target)
			total += loss.Item()
			loss.DivScalar(accumulate).Backward() // gradients add up
			if (batch.Index+1)%accumulate == 0 {
				norms += nnutil.ClipGradNorm_(model.Parameters(), 1).Item()
				opt.Step()
				opt.ZeroGrad()
				sched.Step()
			}
		}
		_, accuracy := evaluate(model, tests)
		fmt.Printf("epoch %d: good %t, finite %t\n", epoch+1, accuracy > 0.9, total+norms < 1e3)
	}
	// Output:
	// epoch 1: good true, finite true
	// epoch 2: good true, finite true
	// epoch 3: good true, finite true
	// epoch 4: good true, finite true
}

// An evaluation loop builds no graph and keeps no memory.
func Example_evaluationLoop() {
	torch.ManualSeed(0)
	test := clusters(128)
	defer test.Close()
	model := newClassifier()
	defer model.Close()
	before := torch.NumLiveTensors()
	_, accuracy := evaluate(model, data.NewLoader(test, data.BatchSize(32)))
	fmt.Println(accuracy >= 0, accuracy <= 1, model.Training(), torch.NumLiveTensors()-before)
	// Output: true true true 0
}

// Extract the features of a data set, batch by batch. Each batch of features is detached
// from its graph and copied to a preallocated tensor, so memory use does not grow.
func Example_detachedFeatures() {
	torch.ManualSeed(0)
	set := clusters(100)
	defer set.Close()
	body := newClassifier()
	defer body.Close()
	features := torch.Empty(torch.Shape{100, 16})
	defer features.Close()
	before := torch.NumLiveTensors()
	at := int64(0)
	for batch := range data.NewLoader(set, data.BatchSize(32)).All() {
		// this forward pass records a graph, as in training
		hidden := body.At(1).Forward(body.At(0).Forward(batch.Input))
		n := hidden.Size(0)
		features.Narrow(0, at, n).Copy_(hidden.Detach())
		at += n
	}
	fmt.Println(features.Shape(), features.RequiresGrad(), torch.NumLiveTensors()-before)
	// Output: (100, 16) false 0
}
