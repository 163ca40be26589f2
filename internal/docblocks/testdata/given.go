// Package given declares the variables and functions that the Go blocks in the
// documentation use. It is not built as a package: internal/docblocks copies the
// declarations that a block uses in front of the block. A variable may use only the
// variables above it.
package given

var (
	ctx = context.Background()
	err error

	// a classifier with 20 features and two classes, and its data
	width      = int64(20)
	features   = torch.Randn(torch.Shape{64, 20})
	set        = data.NewTensorDataset(torch.Randn(torch.Shape{128, 20}), torch.RandIntTo(2, torch.Shape{128}))
	loader     = data.NewLoader(set, data.BatchSize(32))
	tests      = data.NewLoader(set, data.BatchSize(32))
	model      = nn.NewSequential(nn.NewLinear(20, 8), nn.NewReLU(), nn.NewLinear(8, 2))
	opt        = optim.NewAdamW(model.Parameters())
	sched      = schedule.NewOneCycleLR(opt, 0.1, schedule.TotalSteps(100))
	scaler     = amp.NewGradScaler(amp.Device(torch.CPU))
	epochs     = 2
	steps      = 20
	warmup     = 5
	accumulate = 2
	total      float64
	accuracy   float64

	x     = torch.Randn(torch.Shape{4, 20})
	y     = torch.RandIntTo(2, torch.Shape{4})
	batch = torch.Randn(torch.Shape{4, 20})
	a     = torch.Randn(torch.Shape{3, 3})
	b     = torch.Randn(torch.Shape{3, 3})
	w     = torch.Ones(torch.Shape{4}, torch.RequiresGrad(true))
	mask  = torch.Ones(torch.Shape{8}, torch.Bool)
	out   = []*torch.Tensor{torch.Randn(torch.Shape{4, 2})}

	decayed = []*torch.Tensor{torch.Ones(torch.Shape{4, 4}, torch.RequiresGrad(true))}
	others  = []*torch.Tensor{torch.Ones(torch.Shape{4}, torch.RequiresGrad(true))}
	another = torch.Ones(torch.Shape{4}, torch.RequiresGrad(true))

	conv = nn.NewConv2d(1, 4, 3)
	fc   = nn.NewLinear(4, 4)
)

// train stands for a training step.
func train(...any) {
	x := torch.Randn(torch.Shape{4, 4})
	defer x.Close()
	x.Exp().Close()
}

func compute(*torch.Tensor) {}

func evaluate(model nn.Layer, tests *data.Loader) float64 {
	var total float64
	torch.NoGrad(func() {
		for batch := range tests.All() {
			total += model.Forward(batch.Input).Mean().Item()
		}
	})
	return total
}

func alert(memory.Alert) {}

// writeImages writes a directory of images, one for each of two classes.
func writeImages(dir string) {
	for _, class := range []string{"cat", "dog"} {
		if err := os.MkdirAll(filepath.Join(dir, class), 0o700); err != nil {
			panic(err)
		}
		f, err := os.Create(filepath.Join(dir, class, "0.png"))
		if err != nil {
			panic(err)
		}
		defer f.Close()
		if err := png.Encode(f, image.NewGray(image.Rect(0, 0, 32, 32))); err != nil {
			panic(err)
		}
	}
}
