package main

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/batching"
)

// service is a model, and a batcher that collects requests for it.
type service struct {
	config
	shape   torch.Shape // of one example
	model   atomic.Pointer[model]
	batcher *batching.Batcher
	metrics *metrics
	clients clients
	ending  atomic.Bool // the server is shutting down
}

func newService(c config) (*service, error) {
	s := &service{config: c}
	m, shape, err := newModel(c)
	if err != nil {
		return nil, err
	}
	s.shape = shape
	s.model.Store(m)
	s.batcher = batching.NewBatcher(s.forward,
		batching.MaxBatch(c.batch), batching.MaxDelay(c.delay), batching.MaxQueue(max(c.queue, c.batch)),
		batching.Workers(c.workers), batching.RefuseWhenFull(true), batching.InputShape(shape))
	s.warmUp()
	s.metrics = newMetrics(s)
	return s, nil
}

// model is a network in evaluation mode, and with -optimize a graph of it for each size of a batch.
type model struct {
	net    *nn.Sequential
	graphs *torch.Graphs
}

// newModel returns a model with random weights, and the shape of its input.
func newModel(c config) (*model, torch.Shape, error) {
	torch.ManualSeed(c.seed)
	var net *nn.Sequential
	var shape torch.Shape
	switch c.model {
	case "mlp":
		shape = torch.Shape{32}
		net = nn.NewSequential(
			nn.NewLinear(32, 64), nn.NewReLU(), nn.NewLinear(64, 64), nn.NewReLU(), nn.NewLinear(64, 10),
		)
	case "cnn":
		shape = torch.Shape{1, 28, 28}
		net = nn.NewSequential(
			nn.NewConv2d(1, 32, 3), nn.NewReLU(), nn.NewMaxPool2d(2),
			nn.NewConv2d(32, 64, 3), nn.NewReLU(), nn.NewMaxPool2d(2),
			nn.NewFlatten(), nn.NewLinear(64*5*5, 128), nn.NewReLU(), nn.NewLinear(128, 10),
		)
	default:
		return nil, nil, fmt.Errorf("there is no model %q; expected mlp or cnn", c.model)
	}
	net.Eval()
	m := &model{net: net}
	if c.optimize {
		m.graphs = torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{net.Forward(in[0])}
		}, torch.Optimize(true), torch.MaxGraphs(c.batch))
	}
	return m, shape, nil
}

func (m *model) forward(x *torch.Tensor) *torch.Tensor {
	if m.graphs != nil {
		return m.graphs.Call(x)[0]
	}
	return m.net.Forward(x)
}

func (m *model) close() {
	if m.graphs != nil {
		m.graphs.Close()
	}
	m.net.Close()
}

// forward runs the model on a batch. If swap replaces the model at the same time, it may
// close the old model between two layers. Then forward runs the new model
// (docs/concurrency.md).
func (s *service) forward(x *torch.Tensor) (y *torch.Tensor) {
	for {
		m := s.model.Load()
		err := torch.Try(func() { y = m.forward(x) })
		if err == nil {
			return y
		}
		if !errors.Is(err, torch.ErrClosed) || m == s.model.Load() {
			panic(err)
		}
	}
}

// swap replaces the model and frees the old one.
func (s *service) swap(seed uint64) error {
	c := s.config
	c.seed = seed
	m, _, err := newModel(c)
	if err != nil {
		return err
	}
	s.model.Swap(m).close()
	return nil
}

// warmUp runs batches of each size. When libtorch computes a batch of a new size, it
// first prepares kernels for that size, and with -optimize the second and third batches of a
// size are recorded as a graph. No request should have to wait for that.
func (s *service) warmUp() {
	for n := range s.batch {
		torch.NoGrad(func() {
			for range 3 {
				torch.Scope(func() { s.forward(torch.Zeros(append(torch.Shape{int64(n + 1)}, s.shape...))) })
			}
		})
	}
}

// close frees the model. No request may be running.
func (s *service) close() { s.model.Load().close() }
