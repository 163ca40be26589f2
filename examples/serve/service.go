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
	model   atomic.Pointer[nn.Sequential]
	batcher *batching.Batcher
	metrics *metrics
	clients clients
	ending  atomic.Bool // the server is shutting down
}

func newService(c config) (*service, error) {
	s := &service{config: c}
	net, shape, err := newModel(c.model, c.seed)
	if err != nil {
		return nil, err
	}
	s.shape = shape
	s.model.Store(net)
	s.batcher = batching.NewBatcher(s.forward,
		batching.MaxBatch(c.batch), batching.MaxDelay(c.delay), batching.MaxQueue(max(c.queue, c.batch)),
		batching.Workers(c.workers), batching.RefuseWhenFull(true), batching.InputShape(shape))
	s.warmUp()
	s.metrics = newMetrics(s)
	return s, nil
}

// newModel returns a model with random weights, and the shape of its input.
func newModel(name string, seed uint64) (*nn.Sequential, torch.Shape, error) {
	torch.ManualSeed(seed)
	var net *nn.Sequential
	var shape torch.Shape
	switch name {
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
		return nil, nil, fmt.Errorf("there is no model %q; expected mlp or cnn", name)
	}
	net.Eval()
	return net, shape, nil
}

// forward runs the model on a batch. If swap replaces the model at the same time, it may
// close the old model between two layers. Then forward runs the new model
// (docs/concurrency.md).
func (s *service) forward(x *torch.Tensor) (y *torch.Tensor) {
	for {
		net := s.model.Load()
		err := torch.Try(func() { y = net.Forward(x) })
		if err == nil {
			return y
		}
		if !errors.Is(err, torch.ErrClosed) || net == s.model.Load() {
			panic(err)
		}
	}
}

// swap replaces the model and frees the old one.
func (s *service) swap(seed uint64) error {
	net, _, err := newModel(s.config.model, seed)
	if err != nil {
		return err
	}
	s.model.Swap(net).Close()
	return nil
}

// warmUp runs one batch of each size. When libtorch computes a batch of a new size, it
// first prepares kernels for that size. No request should have to wait for that.
func (s *service) warmUp() {
	for n := range s.batch {
		torch.NoGrad(func() {
			torch.Scope(func() { s.forward(torch.Zeros(append(torch.Shape{int64(n + 1)}, s.shape...))) })
		})
	}
}

// close frees the model. No request may be running.
func (s *service) close() { s.model.Load().Close() }
