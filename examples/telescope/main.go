// Command telescope reconstructs an image from measurements through a small moving
// aperture. Each measurement sees only a disc of the image's Fourier transform. The
// program fits the image to the newest measurements by gradient descent. For any number
// of measurements, its native memory stays constant to the byte. reference.py is the same
// program in Python. With the same seed both print the same numbers.
//
//	go run ./telescope
//	go run ./telescope -figures DIR                        # a figure every 100 samples
//	go run ./telescope -plot telescope/reconstruction.png  # the first picture in README.md
//	go run ./telescope -memory telescope/memory.png        # the second picture, and the leak reports
package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/gotorch/gotorch/examples/internal/closed"
	"github.com/gotorch/gotorch/examples/internal/twin"
	"github.com/gotorch/gotorch/examples/telescope/agg"
	"github.com/gotorch/gotorch/examples/telescope/aperture"
	"github.com/gotorch/gotorch/examples/telescope/figure"
	"github.com/gotorch/gotorch/memory"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/fft"
)

// sky is a part of the Hubble eXtreme Deep Field, skySize x skySize pixels, written by
// make_sky.py.
//
//go:embed sky.png
var sky []byte

const skySize = 128

type config struct {
	samples, every, history int
	size                    int64
	radius, noise, lr       float64
	plot, figures, memory   string
	numbers                 string
	seed                    uint64
	threads                 int
	bench                   bool
	leak                    leak // which leak to add, for the memory study
}

// defaults are the default values of the flags. Tests start from them too.
var defaults = config{
	samples: 2000, every: 100, history: 8, size: skySize, radius: 10, noise: 0.002, lr: 0.02,
	threads: 1,
}

func main() {
	c := defaults
	flag.IntVar(&c.samples, "samples", c.samples, "measurements")
	flag.IntVar(&c.every, "every", c.every, "samples between two lines of output and two figures")
	flag.IntVar(&c.history, "history", c.history, "number of measurements to keep; 0: all of them")
	flag.Int64Var(&c.size, "size", c.size, "rows and columns of the image, a corner of the whole")
	flag.Float64Var(&c.radius, "radius", c.radius, "radius of the aperture, in steps of the Fourier transform")
	flag.Float64Var(&c.noise, "noise", c.noise, "standard deviation of the camera's noise")
	flag.Float64Var(&c.lr, "lr", c.lr, "learning rate")
	flag.StringVar(&c.plot, "plot", "", "draw the image before and after into this PNG file")
	flag.StringVar(&c.figures, "figures", "", "folder for figures, one every -every samples")
	flag.StringVar(&c.memory, "memory", "",
		"draw native memory into this PNG file, of this program and of three that leak")
	flag.StringVar(&c.numbers, "losses", "", "write seconds and loss of each sample to this file")
	flag.Uint64Var(&c.seed, "seed", 0, "seed of the random generator")
	flag.IntVar(&c.threads, "threads", c.threads, "threads for one operator")
	flag.BoolVar(&c.bench, "bench", false, "also print the samples per second and the peak of memory")
	flag.Parse()
	if err := run(c, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "telescope:", err)
		os.Exit(1)
	}
}

// run does what the flags request. At the end it checks that all native memory is free.
func run(c config, out io.Writer) error {
	if c.samples < 1 || c.every < 1 || c.history < 0 || c.size < 2 || c.size > skySize {
		return fmt.Errorf(
			"-samples and -every must be at least 1, -size from 2 to %d, and -history not negative", skySize)
	}
	return closed.After(func() error {
		torch.SetNumThreads(c.threads)
		if c.memory != "" {
			return study(c, out)
		}
		return observe(c, out)
	})
}

// observe runs all samples.
func observe(c config, out io.Writer) (err error) {
	log, err := twin.Create(c.numbers)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	s, err := newSession(c, out)
	if err != nil {
		return err
	}
	defer s.Close()
	use := memory.StartTrack("samples")
	start := time.Now()
	for n := 1; n <= c.samples; n++ {
		if err := s.sample(n); err != nil {
			return err
		}
		log.Add(s.losses.Last)
	}
	took, peak := time.Since(start).Seconds(), use.Stop().Peak
	fmt.Fprintln(out, &s.losses)
	if c.bench {
		fmt.Fprintf(out, "bench steps_per_s=%.2f peak_bytes=%d\n", float64(c.samples)/took, peak)
	}
	if c.plot == "" {
		return nil
	}
	return s.draw(c.plot, c.samples)
}

// session contains the telescope, its measurements and the currently reconstructed image.
// Its tensors belong to no scope.
type session struct {
	config
	out io.Writer
	// The true image, and the camera's recording of it through an aperture in the middle.
	sky, first   *torch.Tensor
	image        *torch.Tensor // the reconstruction
	telescope    *aperture.Telescope
	measurements *agg.MeasurementAgg
	losses       agg.LossAgg
	opt          *optim.SGD
	figures      figure.Album
	kept         []*torch.Tensor // tensors that the leaking variants keep
}

func newSession(c config, out io.Writer) (*session, error) {
	torch.ManualSeed(c.seed)
	pixels, err := data.DecodeImage(sky, data.ImageReadModeGray)
	if err != nil {
		return nil, err
	}
	defer pixels.Close()
	s := &session{
		config: c, out: out,
		telescope:    aperture.New(c.size, c.radius, c.noise),
		measurements: agg.NewMeasurementAgg(c.size, c.history),
	}
	torch.Scope(func() {
		corner := pixels.Index(0, torch.Slice(0, c.size), torch.Slice(0, c.size))
		s.sky = torch.Disown(corner.To(torch.Float32).DivScalar(255))
		mask := s.telescope.Mask(0, 0)
		s.first = torch.Disown(s.telescope.Measure(s.sky, mask))
		s.measurements.Add(mask, s.first.Clone())
	})
	s.image = s.first.Clone().RequiresGrad_()
	s.opt = optim.NewSGD([]*torch.Tensor{s.image}, optim.LR(c.lr), optim.Momentum(0.9))
	return s, nil
}

// sample takes a measurement at a random position of the aperture. Then it takes one
// gradient step that fits the image to the kept measurements.
func (s *session) sample(n int) (err error) {
	torch.Scope(func() {
		mask := s.telescope.Mask(s.telescope.Place())
		s.measurements.Add(mask, s.telescope.Measure(s.sky, mask))
		// After this, only the graph keeps the amplitudes alive, so Backward frees them.
		loss := torch.Tidy(func() *torch.Tensor {
			masks, seen := s.measurements.Stacked()
			return F.MSELoss(s.telescope.Amplitudes(s.image, masks), seen, F.ReductionSum)
		})
		s.opt.ZeroGrad()
		loss.Backward(torch.RetainGraph(s.leak == leakLosses))
		s.opt.Step()
		s.losses.Add(loss.Item())
		if s.leak == leakLosses {
			s.kept = append(s.kept, torch.Keep(loss)) //torchvet:ignore retained the leak that is looked for
		}
		if n%s.every != 0 {
			return
		}
		fmt.Fprintf(s.out, "step %d loss %.6g psnr %.2f\n", n, s.losses.Last, s.psnr())
		if s.config.figures != "" {
			err = s.draw(filepath.Join(s.config.figures, fmt.Sprintf("sample_%05d.png", n)), n)
		}
	})
	return err
}

// psnr returns the peak signal-to-noise ratio of the image, in decibels.
func (s *session) psnr() float64 {
	return -10 * math.Log10(F.MSELoss(s.image.Detach(), s.sky).Item())
}

// draw writes a figure of the current image to the file at path.
func (s *session) draw(path string, n int) error {
	f := s.figures.New()
	if s.leak != leakFigures {
		defer f.Close()
	}
	torch.Scope(func() {
		coverage := fft.FFTShift(s.measurements.Coverage())
		f.Show("before: one aperture", s.first)
		f.Show(fmt.Sprintf("after: %d apertures", n+1), s.image)
		f.Show("the sky", s.sky)
		f.Show("how often each frequency was seen", coverage.Div(coverage.Max()))
	})
	return f.Save(path)
}

// Close frees everything.
func (s *session) Close() {
	s.figures.Close()
	s.telescope.Close()
	s.measurements.Close()
	_ = s.opt.Close()
	for _, t := range append(s.kept, s.sky, s.first, s.image) {
		_ = t.Close()
	}
}
