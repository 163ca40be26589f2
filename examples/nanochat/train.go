package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/gotorch/gotorch/examples/internal/twin"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/llama"
)

// stage is a stage that trains.
type stage struct {
	name, title, from string // from is the stage whose model it continues, or ""
	steps             int
	lr                float64
	rows, length      int64 // of a batch
	onText            bool  // it needs the tokens of the text
	next              func(t *trainer) (ids, labels *torch.Tensor, err error)
}

// pretraining learns to continue texts.
func (p *program) pretraining() stage {
	return stage{
		name: "pretrain", title: "pretraining", steps: p.steps, lr: p.lr, rows: int64(p.batch), length: p.Context,
		onText: true, next: func(t *trainer) (ids, labels *torch.Tensor, err error) {
			ids = t.texts.draw(t.batch, t.rank(), t.processes())
			return ids, ids, nil
		},
	}
}

// midTraining learns the form of conversations, while half of each batch is text. The loss
// counts all tokens.
func (p *program) midTraining() stage {
	return stage{
		name: "mid", title: "mid-training", from: "pretrain", steps: p.midSteps, lr: p.lr / 3, rows: int64(p.batch),
		length: p.Context, onText: true, next: func(t *trainer) (ids, labels *torch.Tensor, err error) {
			half := t.batch / 2
			talks, _, err := t.dialogs(t.batch-half, true)
			if err != nil {
				return nil, nil, err
			}
			ids = torch.Cat([]*torch.Tensor{t.texts.draw(half, t.rank(), t.processes()), talks})
			return ids, ids, nil
		},
	}
}

// fineTuning learns to answer. A text is a conversation, and the loss counts the tokens of
// the answers. A batch has as many tokens as in the other stages, in shorter texts.
func (p *program) fineTuning() stage {
	length := min(p.Context, 64)
	rows := int64(p.batch) * p.Context / length
	return stage{
		name: "sft", title: "fine-tuning", from: "mid", steps: p.sftSteps, lr: p.lr / 3, rows: rows, length: length,
		next: func(t *trainer) (ids, labels *torch.Tensor, err error) { return t.dialogs(int(rows), false) },
	}
}

// trainer is a stage in progress.
type trainer struct {
	*program
	stage
	model *llama.ForCausalLM
	net   *parallel.DistributedDataParallel // nil without a group
	opt   *optim.AdamW
	sched *schedule.LambdaLR
	texts *textRows // nil if the stage needs no text
	log   *twin.Log
	place
	losses []float64 // of each step of this process
}

// place is the progress of a stage. Checkpoints contain it.
type place struct{ Step int }

// train runs a stage, or continues it from its newest checkpoint.
func (p *program) train(ctx context.Context, s stage) (err error) {
	if _, err := os.Stat(p.path(s.name, "model.safetensors")); err == nil {
		fmt.Fprintf(p.output(), "%s: finished before, in %s\n", s.title, p.path(s.name))
		return nil
	}
	t := &trainer{program: p, stage: s}
	if err := p.loadTokenizer(); err != nil {
		return err
	}
	tokens := []int64(nil)
	if s.onText {
		if tokens, err = p.trainingTokens(ctx); err != nil {
			return err
		}
	}
	memory.Collect() // what is not needed any more does not count
	used := memory.StartTrack(s.name, memory.Device(p.dev))
	defer used.Stop()
	if s.onText {
		if t.texts, err = newTextRows(tokens, p.Context, p.seed); err != nil {
			return err
		}
		defer t.texts.Close()
	}
	if t.model, err = p.firstModel(s); err != nil {
		return err
	}
	defer func() { _ = t.model.Close() }()
	plan := sizeOf(t.model.Config).training(s.rows, s.length)
	if p.dev.IsCPU() {
		plan.Tokens = 8 * int64(len(tokens))
	}
	plan.print(p.output(), fmt.Sprintf("%s: %d parameters, batches of %d texts with %d tokens", s.title,
		sizeOf(t.model.Config).parameters(), s.rows, s.length))
	if err := t.run(ctx); err != nil {
		return err
	}
	plan.printMeasured(p.output(), used.Stop().PeakGrowth())
	return t.finish()
}

// run trains until the last step, or until the context ends.
func (t *trainer) run(ctx context.Context) (err error) {
	t.model.To(t.dev)
	t.opt = t.optimizer()
	defer t.opt.Close()
	t.sched = schedule.NewLambdaLR(t.opt, t.rate)
	if err := t.restore(); err != nil {
		return err
	}
	if t.group != nil {
		if t.net, err = parallel.NewDistributedDataParallel(ctx, t.model, t.group); err != nil {
			return err
		}
		defer t.net.Release()
	}
	if t.log, err = twin.Create(t.ownLossFile()); err != nil {
		return err
	}
	defer func() { _ = t.log.Close() }()
	start, first, printed := time.Now(), t.Step, len(t.losses)
	for t.Step < t.steps {
		if err := t.step(); err != nil {
			return t.stopped(ctx, err)
		}
		if t.Step%t.printEvery == 0 || t.Step == t.steps {
			mean := 0.0
			for _, l := range t.losses[printed:] {
				mean += l / float64(len(t.losses)-printed)
			}
			printed = len(t.losses)
			perStep := float64(t.rows*t.length) * float64(t.processes())
			fmt.Fprintf(t.output(), "step %d of %d: loss %.4f, %.0f tokens/s\n", t.Step, t.steps, mean,
				float64(t.Step-first)*perStep/time.Since(start).Seconds())
		}
		if ctx.Err() != nil {
			return t.stopped(ctx, nil)
		}
		if t.saveEvery > 0 && t.Step%t.saveEvery == 0 && t.Step < t.steps {
			if err := t.save(); err != nil {
				return err
			}
		}
	}
	return nil
}

// ownLossFile is the file of -losses if this process writes it.
func (t *trainer) ownLossFile() string {
	if t.rank() > 0 {
		return ""
	}
	return t.lossFile
}

// optimizer uses weight decay for matrices only, not for the weights of norms.
func (t *trainer) optimizer() *optim.AdamW {
	var matrices, vectors []*torch.Tensor
	for _, p := range t.model.Parameters() {
		if p.Dim() > 1 {
			matrices = append(matrices, p)
		} else {
			vectors = append(vectors, p)
		}
	}
	opt := optim.NewAdamW(matrices, optim.LR(t.lr), optim.Betas(0.9, 0.95), optim.WeightDecay(0.1), optim.Fused(true))
	opt.AddParamGroup(vectors, optim.WeightDecay(0))
	return opt
}

// rate returns the factor of the learning rate at a step. It rises linearly during the
// warm-up, and then falls along a cosine to a tenth.
func (t *trainer) rate(step int) float64 {
	warmup := min(t.warmup, t.steps/2)
	if step < warmup {
		return float64(step+1) / float64(warmup+1)
	}
	done := min(1, float64(step-warmup)/float64(max(1, t.steps-warmup)))
	return 0.1 + 0.45*(1+math.Cos(math.Pi*done))
}

// step trains on a batch. Errors of other processes are returned.
func (t *trainer) step() (err error) {
	var loss float64
	wrong := torch.Try(func() {
		torch.Scope(func() {
			var ids, labels *torch.Tensor
			if ids, labels, err = t.next(t); err != nil {
				return
			}
			loss = t.learn(ids.To(t.dev), labels.To(t.dev))
		})
	})
	if wrong != nil {
		return wrong
	}
	if err == nil {
		t.losses = append(t.losses, loss)
		t.log.Add(loss)
		t.Step++
	}
	return err
}

// learn changes the parameters such that the loss of a batch falls, and returns the loss.
func (t *trainer) learn(ids, labels *torch.Tensor) float64 {
	var loss *torch.Tensor
	amp.Autocast(t.dev, torch.BFloat16, func() {
		loss = models.CausalLoss(t.forward(ids), labels)
	}, amp.Enabled(t.amp))
	loss.Backward() // with a group, this averages the gradients of all processes
	nnutil.ClipGradNorm_(t.model.Parameters(), t.clip)
	t.opt.Step()
	t.opt.ZeroGrad()
	t.sched.Step()
	return loss.Item()
}

func (t *trainer) forward(ids *torch.Tensor) *torch.Tensor {
	if t.net == nil {
		return t.model.Forward(ids)
	}
	return t.net.ForwardFunc(func() []*torch.Tensor { return []*torch.Tensor{t.model.Forward(ids)} })[0]
}

// dialogs returns n conversations and their labels. If packed is true, each row is filled
// with conversations. Otherwise a row has one, and bos in place of missing tokens.
func (t *trainer) dialogs(n int, packed bool) (ids, labels *torch.Tensor, err error) {
	begin, _ := t.tok.TokenToID(bos)
	var allIDs, allLabels []int64
	for row := range n {
		random := rowSource(t.seed, t.Step, t.rank()*n+row)
		var rowIDs, rowLabels []int64
		for len(rowIDs) == 0 || packed && len(rowIDs) < int(t.length) {
			i, l, err := newDialog(random).encode(t.tok)
			if err != nil {
				return nil, nil, err
			}
			rowIDs, rowLabels = append(rowIDs, i...), append(rowLabels, l...)
		}
		for len(rowIDs) < int(t.length) {
			rowIDs, rowLabels = append(rowIDs, begin), append(rowLabels, ignored)
		}
		allIDs, allLabels = append(allIDs, rowIDs[:t.length]...), append(allLabels, rowLabels[:t.length]...)
	}
	shape := []int64{int64(n), t.length}
	return torch.FromSlice(allIDs).Reshape(shape...), torch.FromSlice(allLabels).Reshape(shape...), nil
}
