// Command reinforcement_learning learns to balance a pole on a cart, with REINFORCE or
// with actor-critic, like PyTorch's two examples of that name. reference.py is the same
// program in Python. With the same seed both print the same numbers.
//
//	go run ./pytorch/reinforcement_learning
//	go run ./pytorch/reinforcement_learning -method actor-critic
//	go run ./pytorch/reinforcement_learning -plot rewards.png    # the reward of each episode
package main

import (
	"flag"
	"fmt"
	"math"

	"github.com/gotorch/gotorch/examples/pytorch/internal/frame"
	"github.com/gotorch/gotorch/memory/plot"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
)

const reinforce, actorCritic = "reinforce", "actor-critic"

// enough is the mean reward per episode at which the problem counts as solved.
const enough = 475

type config struct {
	frame.Flags
	method, plot string
	gamma        float64
	every        int
}

func defaults() config {
	c := config{Flags: frame.Defaults(), method: reinforce, gamma: 0.99, every: 10}
	c.Seed = 543
	return c
}

func main() {
	c := defaults()
	c.Register() // here -steps counts episodes
	flag.StringVar(&c.method, "method", c.method, "reinforce or actor-critic")
	flag.Float64Var(&c.gamma, "gamma", c.gamma, "discount factor of rewards")
	flag.IntVar(&c.every, "log-interval", c.every, "episodes between two lines of output")
	flag.StringVar(&c.plot, "plot", c.plot, "draw the rewards of the episodes into this PNG file")
	c.Main("reinforcement_learning", c.train)
}

// policy maps a state (1, 4) to the probabilities of the two actions, (1, 2). With a critic
// it also returns the expected return of the state, (1, 1).
type policy struct {
	nn.Base
	hidden, action, value *nn.Linear // value is the critic; nil without a critic
	dropout               *nn.Dropout
}

func newPolicy(critic bool) *policy {
	p := new(policy)
	p.Init(p)
	p.hidden = nn.NewLinear(4, 128, p.As("affine1"))
	if critic {
		p.action = nn.NewLinear(128, 2, p.As("action_head"))
		p.value = nn.NewLinear(128, 1, p.As("value_head"))
	} else {
		p.dropout = nn.NewDropout(0.6, p.As("dropout"))
		p.action = nn.NewLinear(128, 2, p.As("affine2"))
	}
	return p
}

// Forward returns the probabilities and, with a critic, the expected return.
func (p *policy) Forward(state *torch.Tensor) []*torch.Tensor {
	return p.CallN([]*torch.Tensor{state}, func(in []*torch.Tensor) []*torch.Tensor {
		x := p.hidden.Forward(in[0])
		if p.dropout != nil {
			x = p.dropout.Forward(x)
		}
		x = F.ReLU(x)
		out := []*torch.Tensor{F.Softmax(p.action.Forward(x), -1)}
		if p.value != nil {
			out = append(out, p.value.Forward(x))
		}
		return out
	})
}

// episode contains the log probability (1) of each action and the critic's value (1, 1)
// for each state.
type episode struct{ logProbs, values []*torch.Tensor }

// act draws an action for state s, and records the action's log probability and the state's
// value.
func (e *episode) act(p *policy, s state) (action int64) {
	noted := torch.TidyAll(func() []*torch.Tensor {
		out := p.Forward(torch.FromSlice(s.float32s(), 1, 4))
		d := distributions.NewCategorical(distributions.Probs(out[0]))
		defer d.Close()
		drawn := d.Sample()
		action = drawn.ItemInt()
		return append([]*torch.Tensor{d.LogProb(drawn)}, out[1:]...)
	})
	e.logProbs, e.values = append(e.logProbs, noted[0]), append(e.values, noted[1:]...)
	return action
}

// loss returns the policy's loss: minus the sum of the log probabilities, each weighted
// by how much the return exceeds a baseline. The baseline is the mean return or, with a
// critic, the critic's value. With a critic, the critic's loss is added.
func (e *episode) loss(gamma float64) *torch.Tensor {
	worth, sum := make([]float32, len(e.logProbs)), 0.0
	for i := len(worth) - 1; i >= 0; i-- {
		sum = 1 + gamma*sum // the reward of every step is 1
		worth[i] = float32(sum)
	}
	returns := torch.Tidy(func() *torch.Tensor {
		returns := torch.FromSlice(worth)
		return returns.Sub(returns.Mean()).Div(returns.Std().AddScalar(math.Pow(2, -23)))
	})
	logProbs := torch.Cat(e.logProbs)
	if e.values == nil {
		return logProbs.Neg().Mul(returns).Sum()
	}
	values := torch.Cat(e.values).Flatten(0, 1)
	advantage := returns.Sub(values.Detach())
	return logProbs.Neg().Mul(advantage).Sum().Add(F.SmoothL1Loss(values, returns, F.ReductionSum))
}

func (c *config) train(t *frame.Training) error {
	rate := map[string]float64{reinforce: 1e-2, actorCritic: 3e-2}[c.method]
	if rate == 0 || c.every < 1 {
		return fmt.Errorf("-method must be %s or %s, -log-interval at least 1", reinforce, actorCritic)
	}
	p := newPolicy(c.method == actorCritic)
	defer p.Close()
	opt := optim.NewAdam(p.Parameters(), optim.LR(rate))
	defer opt.Close()
	pole := newCartPole(c.Seed)
	running := 10.0
	var rewards, means []float64
	for n := 1; running <= enough && !t.Ended(); n++ {
		reward := 0.0
		torch.Scope(func() {
			var e episode
			for s, over := pole.reset(), false; !over; reward++ {
				s, over = pole.step(e.act(p, s))
			}
			opt.ZeroGrad()
			loss := e.loss(c.gamma)
			loss.Backward()
			opt.Step()
			t.Add(loss.Item())
		})
		running = 0.05*reward + 0.95*running
		rewards, means = append(rewards, reward), append(means, running)
		if n%c.every == 0 {
			fmt.Fprintf(t.Out, "episode %d: reward %.0f, in the mean %.2f\n", n, reward, running)
		}
	}
	if running > enough {
		fmt.Fprintf(t.Out, "solved after %d episodes: the mean reward is %.2f\n", len(rewards), running)
	}
	if c.plot == "" {
		return nil
	}
	return plot.Save(c.plot, "episode", plot.Panel{Label: "reward", FromZero: true, Lines: []plot.Line{
		{Label: "of an episode", Y: rewards}, {Label: "in the mean", Y: means},
	}})
}
