// Command infer measures inference of small and middle models, one request at a time, as
// graphs with torch.Optimize, for the infer.* rows of the benchmarks. infer.py in bench/python
// does the same with eager PyTorch, ONNX Runtime and OpenVINO. The command prints one line with
// the median nanoseconds of each model:
//
//	bench resnet18=1 resnet50=2 mobilenetv3=3 encoder=4 cnn28=5 mlp=6 resnet50.bf16=7 encoder.bf16=8
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/models"
)

// A model is a network in evaluation mode, with the shape of its input.
type model struct {
	name    string
	forward func(x *torch.Tensor) *torch.Tensor
	shape   torch.Shape
	dtype   torch.DType // that layers compute in
}

func all() []model {
	image := torch.Shape{1, 3, 224, 224}
	eval := func(l nn.Layer) func(*torch.Tensor) *torch.Tensor {
		l.Eval()
		return l.Forward
	}
	encoder := nn.NewTransformerEncoder(nn.NewTransformerEncoderLayer(384, 12, nn.DimFeedforward(1536),
		nn.ActivationGELU, nn.BatchFirst(true)), 6)
	encoder.Eval()
	models := []model{
		{"resnet18", eval(models.NewResNet18()), image, torch.Float32},
		{"resnet50", eval(models.NewResNet50()), image, torch.Float32},
		{"mobilenetv3", eval(models.NewMobileNetV3Large()), image, torch.Float32},
		{
			"encoder", func(x *torch.Tensor) *torch.Tensor { return encoder.Forward(x) },
			torch.Shape{1, 32, 384},
			torch.Float32,
		},
		{"cnn28", eval(nn.NewSequential(
			nn.NewConv2d(1, 16, 3, nn.Padding(1)), nn.NewReLU(), nn.NewMaxPool2d(2),
			nn.NewConv2d(16, 32, 3, nn.Padding(1)), nn.NewReLU(), nn.NewMaxPool2d(2),
			nn.NewConv2d(32, 64, 3, nn.Padding(1)), nn.NewReLU(), nn.NewFlatten(), nn.NewLinear(64*7*7, 10),
		)), torch.Shape{1, 1, 28, 28}, torch.Float32},
		{"mlp", eval(nn.NewSequential(
			nn.NewLinear(784, 512), nn.NewReLU(), nn.NewLinear(512, 256), nn.NewReLU(), nn.NewLinear(256, 10),
		)), torch.Shape{1, 784}, torch.Float32},
	}
	for _, m := range models {
		if m.name == "resnet50" || m.name == "encoder" {
			m.name, m.dtype = m.name+".bf16", torch.BFloat16
			models = append(models, m)
		}
	}
	return models
}

func main() {
	only := flag.String("only", "", "the name of one model")
	report := flag.Bool("report", false, "print the graphs' reports to standard error")
	flag.Parse()
	words := []string{"bench"}
	torch.NoGrad(func() {
		for _, m := range all() {
			if *only != "" && *only != m.name {
				continue
			}
			torch.Scope(func() { words = append(words, fmt.Sprintf("%s=%d", m.name, measure(m, *report))) })
		}
	})
	fmt.Println(strings.Join(words, " "))
}

// measure returns the median nanoseconds of a request.
func measure(m model, report bool) int64 {
	x := torch.Randn(m.shape)
	g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{m.forward(x)} }, torch.Inputs{x},
		torch.Optimize(true), torch.ComputeDType(m.dtype))
	defer g.Close()
	r := g.Report()
	if r.Reason != "" {
		panic(m.name + ": " + r.Reason)
	}
	if report {
		fmt.Fprintf(os.Stderr, "%s:\n%v", m.name, r)
	}
	request := torch.Randn(m.shape)
	var times []int64
	for begin := time.Now(); len(times) < 20 || time.Since(begin) < time.Second; {
		start := time.Now()
		g.Call(request)
		times = append(times, time.Since(start).Nanoseconds())
	}
	slices.Sort(times)
	return times[len(times)/2]
}
