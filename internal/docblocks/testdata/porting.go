// Package porting declares the variables and functions that the lines in docs/porting.md
// use. Package given has the declarations for Go blocks.
package porting

var (
	x        = torch.Randn(torch.Shape{3, 4})
	y        = torch.Randn(torch.Shape{3, 4})
	a        = torch.Randn(torch.Shape{3, 3})
	b        = torch.Randn(torch.Shape{3, 3})
	v        = torch.Randn(torch.Shape{4})
	i        = torch.FromSlice([]int64{2, 0})
	classes  = torch.FromSlice([]int64{2, 0, 1}, 3, 1)
	mask     = x.GtScalar(0)
	img      = torch.Randn(torch.Shape{2, 3, 8, 8})
	logits   = torch.Randn(torch.Shape{3, 4})
	target   = torch.FromSlice([]int64{2, 0, 3})
	logProbs = torch.Randn(torch.Shape{5, 2, 4}).LogSoftmax(2)
	spoken   = torch.FromSlice([]int64{1, 2, 3, 0}, 2, 2)
	w        = torch.Ones(torch.Shape{4}, torch.RequiresGrad(true))
	g        = torch.NewGenerator(torch.CPU)
	array    = make([]float32, 6)
	training bool
	device   = torch.CPU

	lstm    = nn.NewLSTM(8, 16)
	layer   = nn.NewLinear(4, 4)
	model   = trained(x)
	hook    = func(m nn.Module, in, out []*torch.Tensor) []*torch.Tensor { return nil }
	sd      = model.StateDict()
	opt     = optim.NewAdamW(model.Parameters())
	sched   = schedule.NewStepLR(opt, 10)
	scaler  = amp.NewGradScaler(amp.Device(torch.CPU))
	dataset = data.NewTensorDataset(x, target)
	loader  = data.NewLoader(dataset)
	collate = data.Stack
	resize  = transforms.NewResize(4)

	info   data.WorkerInfo
	ready  = func(p *profiler.Profile) error { return nil }
	p      = profiled(model, x)
	writer = newWriter()
	s      *cuda.Stream
	start  *cuda.Event
	end    *cuda.Event
	graph  *cuda.CUDAGraph

	path    = "file"
	root    = "images"
	tensors = sd.Map()
	f       = opened(sd)
	npz     = openedNpz(a)
	script  = scripted()
	err     error
	t       testing.TB = failing{}
	fn                 = func(in ...*torch.Tensor) *torch.Tensor { return in[0].To(torch.Float64).Exp().Sum() }
)

// alone returns a process group of one rank.
func alone() *distributed.ProcessGroup {
	store, err := distributed.NewHashStore()
	if err != nil {
		panic(err)
	}
	group, err := distributed.InitProcessGroup(context.Background(), distributed.Gloo, distributed.WithStore(store),
		distributed.Rank(0), distributed.WorldSize(1), distributed.Interfaces("lo"))
	if err != nil {
		panic(err)
	}
	return group
}

// wrapped returns a module that is wrapped for training in a process group.
func wrapped() *parallel.DistributedDataParallel {
	net, err := parallel.NewDistributedDataParallel(context.Background(), nn.NewLinear(4, 4), alone())
	if err != nil {
		panic(err)
	}
	return net
}

// failing is the testing.TB that the lines use. It panics when a check fails.
type failing struct{ testing.TB }

func (failing) Helper() {}

func (failing) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func (failing) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// trained returns a model whose parameters have gradients.
func trained(x *torch.Tensor) *nn.Sequential {
	model := nn.NewSequential(nn.NewLinear(4, 8), nn.NewReLU(), nn.NewLinear(8, 2))
	model.Forward(x).Sum().Backward()
	return model
}

func profiled(model *nn.Sequential, x *torch.Tensor) *profiler.Profile {
	p, err := profiler.Run(func(*profiler.Profile) { model.Forward(x) })
	must(err)
	return p
}

func newWriter() *tensorboard.SummaryWriter {
	w, err := tensorboard.NewSummaryWriter("runs/given")
	must(err)
	return w
}

func opened(sd nn.StateDict) *safetensors.File {
	must(safetensors.SaveFile(sd.Map(), "given.safetensors"))
	f, err := safetensors.Open("given.safetensors")
	must(err)
	return f
}

func openedNpz(a *torch.Tensor) *numpy.NpzFile {
	must(numpy.Savez(map[string]*torch.Tensor{"a": a}, "all.npz"))
	f, err := numpy.OpenNpz("all.npz")
	must(err)
	return f
}

func scripted() *jit.Module {
	m, err := jit.Load(blockrun.File("internal/docblocks/testdata/porting.pt"))
	must(err)
	m.Eval()
	return m
}

// writeImages writes a directory with one image, of one class.
func writeImages(dir string) {
	must(os.MkdirAll(filepath.Join(dir, "cat"), 0o700))
	f, err := os.Create(filepath.Join(dir, "cat", "0.png"))
	must(err)
	defer f.Close()
	must(png.Encode(f, image.NewRGBA(image.Rect(0, 0, 8, 8))))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
