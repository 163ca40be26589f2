package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/gotorch/gotorch/examples/gpt/nanogpt"
	"github.com/gotorch/gotorch/examples/internal/account"
	"github.com/gotorch/gotorch/examples/internal/twin"
	"github.com/gotorch/gotorch/memory/plot"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
)

// training contains a training run and its measurements.
type training struct {
	config
	model *nanogpt.GPT
	opt   *optim.AdamW
	sched *schedule.LambdaLR
	// Scales up the loss for float16. Otherwise small gradients would be rounded to 0.
	scaler  *amp.GradScaler
	windows *torch.Tensor // (N, Block + 1): all sections of the text that a step may train on
	begin   *torch.Tensor // (1, T): the prompt that each sample continues
	letters nanogpt.Alphabet
	dev     torch.Device
	dt      torch.DType
	book    *account.Book
	log     *twin.Log
	losses  []float64
	took    []time.Duration
}

var dtypes = map[string]torch.DType{"float32": torch.Float32, "bfloat16": torch.BFloat16, "float16": torch.Float16}

// train trains on a text and prints samples.
func (t *training) train(ctx context.Context, text string, out io.Writer) (err error) {
	if t.dev, err = torch.ParseDevice(t.device); err != nil {
		return err
	}
	if t.dt = dtypes[t.dtype]; t.dt == torch.DType(0) {
		return fmt.Errorf("-dtype: expected float32, bfloat16 or float16, got %q", t.dtype)
	}
	if t.log, err = twin.Create(t.lossFile); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.log.Close()) }()
	torch.SetNumThreads(t.threads)
	torch.ManualSeed(t.seed)

	t.letters = nanogpt.NewAlphabet(text)
	ids, err := t.letters.Encode(text)
	if err != nil {
		return err
	}
	defer ids.Close()
	prompt, err := t.letters.Encode(t.prompt)
	if err != nil {
		return fmt.Errorf("-prompt: %w", err)
	}
	defer prompt.Close()
	t.begin = prompt.Unsqueeze(0)
	defer t.begin.Close()
	t.windows = ids.Unfold(0, t.size.Block+1, 1)
	defer t.windows.Close()

	t.size.Vocabulary = int64(len(t.letters))
	t.model = nanogpt.NewGPT(t.size)
	defer t.model.Close()
	t.model.To(t.dev)
	t.opt = t.optimizer()
	defer t.opt.Close()
	t.sched = schedule.NewLambdaLR(t.opt, t.rate)
	t.scaler = amp.NewGradScaler(amp.Device(t.dev), amp.Enabled(t.dt == torch.Float16))
	defer t.scaler.Close()

	fmt.Fprintf(out, "%d characters, %d different, %d parameters\n", ids.Numel(), len(t.letters), parameters(t.model))
	for step := 1; step <= t.steps && ctx.Err() == nil; step++ {
		start := time.Now()
		t.book.Step(t.step)
		t.took = append(t.took, time.Since(start))
		if !t.bench && (step%t.every == 0 || step == t.steps) {
			fmt.Fprintf(out, "step %d: loss %.4f\n", step, t.losses[step-1])
			t.write(out)
		}
	}
	return nil
}

// optimizer uses weight decay for matrices only, not for vectors (biases and norms).
func (t *training) optimizer() *optim.AdamW {
	var matrices, vectors []*torch.Tensor
	for _, p := range t.model.Parameters() {
		if p.Dim() > 1 {
			matrices = append(matrices, p)
		} else {
			vectors = append(vectors, p)
		}
	}
	opt := optim.NewAdamW(matrices, optim.LR(t.lr), optim.Betas(0.9, 0.99), optim.WeightDecay(0.1), optim.Fused(true))
	opt.AddParamGroup(vectors, optim.WeightDecay(0))
	return opt
}

// rate returns the factor by which the learning rate is multiplied at a step. The factor
// rises linearly during the warm-up, and then falls along a cosine to a tenth.
func (t *training) rate(step int) float64 {
	if step < t.warmup {
		return float64(step+1) / float64(t.warmup+1)
	}
	done := min(1, float64(step-t.warmup)/float64(max(1, t.steps-t.warmup)))
	return 0.1 + 0.45*(1+math.Cos(math.Pi*done))
}

func (t *training) step() {
	torch.Scope(func() {
		x, y := t.draw()
		var loss *torch.Tensor
		amp.Autocast(t.dev, t.dt, func() {
			logits := t.model.Forward(x)
			loss = F.CrossEntropy(logits.Flatten(0, 1), y.Flatten(0, 1))
		}, amp.Enabled(t.dt != torch.Float32))
		t.opt.ZeroGrad()
		t.scaler.Scale(loss).Backward()
		t.scaler.Unscale_(t.opt)
		nnutil.ClipGradNorm_(t.model.Parameters(), 1)
		t.scaler.Step(t.opt)
		t.scaler.Update()
		t.sched.Step()
		t.losses = append(t.losses, loss.Item())
		t.log.Add(t.losses[len(t.losses)-1])
	})
}

// draw returns random texts x (B, T), and y, which contains the next character for each
// character of x.
func (t *training) draw() (x, y *torch.Tensor) {
	starts := torch.RandInt(0, t.windows.Size(0), torch.Shape{int64(t.batch)})
	texts := t.windows.IndexSelect(0, starts).To(t.dev)
	return texts.Narrow(1, 0, t.size.Block), texts.Narrow(1, 1, t.size.Block)
}

// write generates and prints a continuation of the prompt.
func (t *training) write(out io.Writer) {
	torch.Scope(func() {
		t.model.Eval()
		defer t.model.Train()
		ids := t.model.Generate(t.begin.To(t.dev), t.sample, 0.8, 40)
		text := t.letters.Decode(ids.Select(0, 0).CPU())
		fmt.Fprintf(out, "  | %s\n", strings.ReplaceAll(text, "\n", "\n  | "))
	})
}

// picture draws the losses and the memory usage into a file if -plot is set.
func (t *training) picture() error {
	if t.plot == "" {
		return nil
	}
	return plot.Save(t.plot, "step", plot.Panel{Label: "loss", Lines: []plot.Line{{Y: t.losses}}}, t.book.Curves())
}

// stepTime returns the median duration of a step. The first steps do not count.
func (t *training) stepTime() time.Duration {
	sorted := slices.Sorted(slices.Values(t.took[len(t.took)/10:]))
	return sorted[len(sorted)/2]
}

func parameters(m *nanogpt.GPT) (n int64) {
	for _, p := range m.Parameters() {
		n += p.Numel()
	}
	return n
}
