package whisper

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/gotorch/gotorch/torch"
)

// A FeatureExtractor makes features of sound: the logarithms of its energy in bands of
// frequency. The fields are those of preprocessor_config.json. Follows
// WhisperFeatureExtractor.
type FeatureExtractor struct {
	FeatureSize  int64   `json:"feature_size"` // the number of bands
	SamplingRate int64   `json:"sampling_rate"`
	HopLength    int64   `json:"hop_length"`   // the samples from one frame to the next
	ChunkLength  int64   `json:"chunk_length"` // the seconds of an input
	NFFT         int64   `json:"n_fft"`        // the samples of a frame
	PaddingValue float64 `json:"padding_value"`
}

// DefaultFeatureExtractor returns the settings of most models: the defaults of transformers.
func DefaultFeatureExtractor() FeatureExtractor {
	return FeatureExtractor{FeatureSize: 80, SamplingRate: 16000, HopLength: 160, ChunkLength: 30, NFFT: 400}
}

// ParseFeatureExtractor reads a preprocessor_config.json. Absent fields have the values of
// [DefaultFeatureExtractor]. The error names the field that is wrong or not supported.
func ParseFeatureExtractor(b []byte) (FeatureExtractor, error) {
	const op = "whisper.ParseFeatureExtractor"
	e := DefaultFeatureExtractor()
	var other struct {
		Type        string  `json:"feature_extractor_type"`
		Dither      float64 `json:"dither"`
		DoNormalize bool    `json:"do_normalize"`
	}
	for _, to := range []any{&e, &other} {
		if err := json.Unmarshal(b, to); err != nil {
			return FeatureExtractor{}, fmt.Errorf("%s: %w: %w", op, torch.ErrFormat, err)
		}
	}
	switch {
	case other.Type != "" && other.Type != "WhisperFeatureExtractor":
		return FeatureExtractor{}, fmt.Errorf("%s: %w: feature_extractor_type is %q", op, torch.ErrUnsupported,
			other.Type)
	case other.Dither != 0:
		return FeatureExtractor{}, fmt.Errorf("%s: %w: dither", op, torch.ErrUnsupported)
	case other.DoNormalize:
		return FeatureExtractor{}, fmt.Errorf("%s: %w: do_normalize", op, torch.ErrUnsupported)
	}
	if err := e.check(); err != nil {
		return FeatureExtractor{}, fmt.Errorf("%s: %w: %w", op, torch.ErrFormat, err)
	}
	return e, nil
}

// check reports a field that is wrong.
func (e FeatureExtractor) check() error {
	for _, n := range []struct {
		name        string
		value, most int64
	}{
		{"feature_size", e.FeatureSize, 1 << 16},
		{"sampling_rate", e.SamplingRate, 1 << 24},
		{"hop_length", e.HopLength, 1 << 24},
		{"chunk_length", e.ChunkLength, 1 << 16},
		{"n_fft", e.NFFT, 1 << 20},
	} {
		if n.value < 1 || n.value > n.most {
			return fmt.Errorf("%s: expected a number from 1 to %d, got %d", n.name, n.most, n.value)
		}
	}
	if e.NFFT < 2 || e.samples() <= e.NFFT/2 || e.samples() < e.HopLength {
		return fmt.Errorf("n_fft and hop_length: %d and %d are too many of the %d samples of an input", e.NFFT,
			e.HopLength, e.samples())
	}
	return nil
}

func (e FeatureExtractor) samples() int64 { return e.ChunkLength * e.SamplingRate }

// Extract returns the features (N, feature_size, frames) of N sounds: samples from -1 to 1
// at the sampling rate. Sounds are cut or padded to chunk_length seconds. It panics with
// ErrValue if there are no sounds, and for invalid settings.
func (e FeatureExtractor) Extract(sounds [][]float32) *torch.Tensor {
	const op = "FeatureExtractor.Extract"
	if err := e.check(); err != nil {
		panic(torch.NewError(op, torch.ErrValue, "receiver", err.Error()))
	}
	if len(sounds) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "sounds", "there is none"))
	}
	n := e.samples()
	samples := make([]float32, 0, int64(len(sounds))*n)
	for _, s := range sounds {
		s = s[:min(int64(len(s)), n)]
		samples = append(samples, s...)
		for range n - int64(len(s)) {
			samples = append(samples, float32(e.PaddingValue))
		}
	}
	return torch.Tidy(func() *torch.Tensor {
		x := torch.FromSlice(samples, int64(len(sounds)), n)
		x = x.STFT(e.NFFT, torch.HopLength(e.HopLength), torch.Window(torch.HannWindow(e.NFFT)))
		energy := x.Narrow(-1, 0, x.Size(-1)-1).Abs().PowScalar(2).Contiguous()
		bands := torch.FromSlice(e.filters(), e.NFFT/2+1, e.FeatureSize).T().MatMul(energy)
		log := bands.ClampMin(1e-10).Log10()
		most := log.Amax(torch.Dims{1, 2}, torch.KeepDim(true))
		return log.Maximum(most.SubScalar(8)).AddScalar(4).DivScalar(4)
	})
}

// filters returns how much each frequency belongs to each band, (frequencies, bands). Bands
// are triangles on the mel scale of Slaney, and have equal energy. Follows mel_filter_bank.
func (e FeatureExtractor) filters() []float32 {
	bins, bands := int(e.NFFT/2+1), int(e.FeatureSize)
	corners := linspace(0, hertzToMel(8000), bands+2)
	for i, mel := range corners {
		corners[i] = melToHertz(mel)
	}
	out := make([]float32, 0, bins*bands)
	for _, f := range linspace(0, float64(e.SamplingRate/2), bins) {
		for b := range bands {
			up := (f - corners[b]) / (corners[b+1] - corners[b])
			down := (corners[b+2] - f) / (corners[b+2] - corners[b+1])
			out = append(out, float32(max(0, min(up, down))*(2/(corners[b+2]-corners[b]))))
		}
	}
	return out
}

// linspace returns n numbers from a to b.
func linspace(a, b float64, n int) []float64 {
	out := make([]float64, n)
	step := (b - a) / float64(n-1)
	for i := range out {
		out[i] = float64(i)*step + a
	}
	out[n-1] = b
	return out
}

// The mel scale of Slaney is linear up to 1000 Hz, which are 15 mel.

func hertzToMel(f float64) float64 {
	if f < 1000 {
		return 3 * f / 200
	}
	return 15 + math.Log(f/1000)*(27/math.Log(6.4))
}

func melToHertz(mel float64) float64 {
	if mel < 15 {
		return 200 * mel / 3
	}
	return 1000 * math.Exp(math.Log(6.4)/27*(mel-15))
}
