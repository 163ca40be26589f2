// Command bench loads a directory of JPEG images as training does: two workers decode,
// resize to 224 x 224, normalize and make batches of 32. It prints "bench
// ns=TIME_PER_IMAGE pss=BYTES" for the harness in bench/; bench/python/jpeg.py is the
// same benchmark in Python. With -make it only writes the images, which are the same on
// every machine.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/data/codecs/turbojpeg"
	"github.com/gotorch/gotorch/torch/data/transforms"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("bench: ")
	write := flag.Int("make", 0, "write this many images into the folder and exit")
	standard := flag.Bool("standard", false, "decode with Go's image/jpeg")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("expected a folder")
	}
	var err error
	if *write > 0 {
		err = makeImages(flag.Arg(0), *write)
	} else {
		err = measure(flag.Arg(0), *standard)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func measure(folder string, standard bool) error {
	torch.SetNumThreads(1)
	var decoder data.Decoder
	if !standard {
		decoder = turbojpeg.Decode
	}
	set, err := data.NewImageFolder(folder, decoder, data.WithTransform(transforms.NewCompose(
		transforms.NewResize([]int64{224, 224}),
		transforms.NewConvertImageDType(torch.Float32),
		transforms.NewNormalize([]float64{0.485, 0.456, 0.406}, []float64{0.229, 0.224, 0.225}),
	)))
	if err != nil {
		return err
	}
	loader := data.NewLoader(set, data.BatchSize(32), data.NumWorkers(2))
	epoch := func(step func()) {
		for batch := range loader.All() {
			_ = batch.Input
			step()
		}
	}
	epoch(func() {})
	start := time.Now()
	epoch(func() {})
	took := time.Since(start)
	most := 0
	epoch(func() { most = max(most, pss()) })
	fmt.Printf("bench ns=%d pss=%d\n", took.Nanoseconds()/int64(set.Len()), most)
	return nil
}

// pss returns the process's proportional set size in bytes: its resident memory, in which a
// page that n processes share counts 1/n.
func pss() int {
	b, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "Pss:" {
			kb, _ := strconv.Atoi(f[1])
			return kb << 10
		}
	}
	return 0
}

// makeImages writes n images of 640 x 480 pixels in two classes, as JPEG of quality 90
// with 4:2:0 chroma. It does nothing if the directory already has the images.
func makeImages(folder string, n int) error {
	done := filepath.Join(folder, "done")
	if b, err := os.ReadFile(done); err == nil && string(b) == strconv.Itoa(n) {
		return nil
	}
	for i := range n {
		dir := filepath.Join(folder, "images", "class"+strconv.Itoa(i%2))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		var b bytes.Buffer
		if err := jpeg.Encode(&b, photo(rand.New(rand.NewPCG(1, uint64(i)))), &jpeg.Options{Quality: 90}); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d.jpg", i)), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(done, []byte(strconv.Itoa(n)), 0o644)
}

// photo makes an image that resembles a photograph: smooth light, some edges, fine noise.
// As a JPEG it has about 100 kB, like a photograph of the same number of pixels.
func photo(r *rand.Rand) image.Image {
	const w, h = 640, 480
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	var waves [3][4][4]float64
	for c := range waves {
		for k := range waves[c] {
			waves[c][k] = [4]float64{r.Float64() * 0.03, r.Float64() * 0.03, r.Float64() * 6, 20 + 30*r.Float64()}
		}
	}
	for y := range h {
		for x := range w {
			shade := 0.0
			if (x/80+y/60)%3 == 0 {
				shade = -40
			}
			noise := r.NormFloat64() * 5
			var v [3]uint8
			for c := range v {
				s := 120 + shade + noise
				for _, k := range waves[c] {
					s += k[3] * math.Sin(k[0]*float64(x)+k[1]*float64(y)+k[2])
				}
				v[c] = uint8(min(max(s, 0), 255))
			}
			img.SetRGBA(x, y, color.RGBA{v[0], v[1], v[2], 255})
		}
	}
	return img
}
