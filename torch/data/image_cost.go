package data

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"

	"github.com/gotorch/gotorch/torch"
)

// These constants limit the cost of decoding, for each pixel that MaxPixels allows.
// bytesOfPixel is the number of bytes of memory, and scansOfPixel the number of samples
// in all scans of a JPEG.
const (
	bytesOfPixel = 8
	scansOfPixel = 8
)

// checkCost returns an error that wraps [torch.ErrFormat] for an image that needs more
// memory to decode than MaxPixels allows.
func (s ImageSettings) checkCost(cfg image.Config, format string, b []byte) error {
	cost := decoding(cfg, format, b) + s.result(cfg)
	most := min(s.MaxPixels, 1<<50) / max(int64(cfg.Height), 1)
	if int64(cfg.Width) > most*bytesOfPixel/cost {
		return fmt.Errorf("%w: decoding an image of %d x %d pixels needs %d bytes per pixel; MaxPixels allows %d "+
			"bytes per pixel for %d pixels", torch.ErrFormat, cfg.Width, cfg.Height, cost, bytesOfPixel, s.MaxPixels)
	}
	return nil
}

// decoding returns the number of bytes per pixel that package image allocates to decode an
// image.
func decoding(cfg image.Config, format string, b []byte) int64 {
	kept := int64(8) // the largest value, for color models that are not listed below
	_, paletted := cfg.ColorModel.(color.Palette)
	switch m := cfg.ColorModel; {
	case paletted, m == color.GrayModel:
		kept = 1
	case m == color.Gray16Model:
		kept = 2
	case m == color.YCbCrModel:
		kept = 3
	case m == color.NRGBAModel, m == color.RGBAModel:
		kept = 4
	}
	const interlaced = len(pngMagic) + 8 + 12 // the index of the header byte that holds the interlace method
	switch {
	case format == "png" && len(b) > interlaced && b[interlaced] == 1:
		kept *= 2 // package png decodes each pass of an interlaced image to a separate image
	case format == "jpeg":
		if cfg.ColorModel == color.RGBAModel {
			kept += 3 // for the conversion
		}
		if j := jpegOf(b); j.progressive {
			pixels := max(j.width*j.height, 1)
			kept += (4*j.samples + pixels - 1) / pixels // the coefficients
		}
	}
	return kept
}

// result returns the largest number of bytes per pixel that the tensor of a decoded image
// may need.
func (s ImageSettings) result(cfg image.Config) int64 {
	_, paletted := cfg.ColorModel.(color.Palette)
	channels, wide := int64(4), int64(1)
	switch m := cfg.ColorModel; {
	case paletted, m == color.GrayModel:
		channels = 1
	case m == color.Gray16Model:
		channels, wide = 1, 2
	case m == color.YCbCrModel:
		channels = 3
	case m == color.NRGBA64Model, m == color.RGBA64Model:
		wide = 2
	}
	switch s.Mode {
	case ImageReadModeGray:
		channels = 1
	case ImageReadModeGrayAlpha:
		channels = 2
	case ImageReadModeRGB:
		channels = 3
	case ImageReadModeRGBAlpha:
		channels = 4
	}
	return channels * wide
}

// checkScans returns an error that wraps [torch.ErrFormat] for a JPEG file with more scans
// than MaxPixels allows. A scan may take only a few bytes of the file, but the decoder
// processes the whole image for each scan.
func (s ImageSettings) checkScans(b []byte) error {
	j := jpegOf(b)
	if j.width*j.height > s.MaxPixels || j.scanned/scansOfPixel <= s.MaxPixels {
		return nil // an image that is too large gets a better error from the decoder
	}
	return fmt.Errorf("%w: a JPEG image of %d x %d pixels has %d scans; MaxPixels allows %d scans for %d pixels",
		torch.ErrFormat, j.width, j.height, j.scans, scansOfPixel, s.MaxPixels)
}

// jpegFile is the information in the markers of a JPEG file.
type jpegFile struct {
	width, height int64
	progressive   bool
	scans         int
	// the number of samples in the image, and the number of samples in all scans together
	samples, scanned int64
}

// jpegOf reads the markers of a file. It stops at the first damaged marker. It returns no
// error, because the decoder reports the damage.
func jpegOf(b []byte) (j jpegFile) {
	if len(b) < 2 || b[0] != 0xff || b[1] != 0xd8 {
		return j
	}
	area := map[byte]int64{} // of each component
	framed := false
	for b = b[2:]; len(b) >= 4; {
		next := bytes.IndexByte(b, 0xff)
		if next < 0 {
			return j
		}
		if b = b[next:]; len(b) < 4 { // skip the compressed bytes before the next marker
			return j
		}
		marker := b[1]
		switch {
		case marker == 0 || marker == 1 || marker == 0xff || marker >= 0xd0 && marker <= 0xd8:
			b = b[1:] // not a marker, or padding, or a marker without a segment
			continue
		case marker == 0xd9: // the end
			return j
		}
		n := int(binary.BigEndian.Uint16(b[2:]))
		if n < 2 || n > len(b)-2 {
			return j
		}
		body := b[4 : 2+n]
		b = b[2+n:]
		switch {
		case marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
			if framed {
				return j // decoders refuse a second frame, so its size does not matter
			}
			framed = true
			j.frame(body, area)
			j.progressive = marker == 0xc2
		case marker == 0xda && len(body) > 0:
			j.scans++
			for i := range min(int(body[0]), (len(body)-1)/2) {
				j.scanned += area[body[1+2*i]]
			}
		}
	}
	return j
}

// frame reads a frame header: the size of the image, and the number of samples of each
// component, which it stores in area.
func (j *jpegFile) frame(body []byte, area map[byte]int64) {
	const head, each = 6, 3
	if len(body) < head {
		return
	}
	j.height, j.width = int64(binary.BigEndian.Uint16(body[1:])), int64(binary.BigEndian.Uint16(body[3:]))
	components := body[head:min(len(body), head+each*int(body[5]))]
	factor := func(i int) (h, v int64) { return int64(components[i+1] >> 4), int64(components[i+1] & 15) }
	var widest, highest int64 = 1, 1
	for i := 0; i+each <= len(components); i += each {
		h, v := factor(i)
		widest, highest = max(widest, h), max(highest, v)
	}
	j.samples = 0
	for i := 0; i+each <= len(components); i += each {
		h, v := factor(i)
		n := j.width * j.height * h * v / (widest * highest)
		area[components[i]] = max(area[components[i]], n) // some decoders accept components of one number
		j.samples += n
	}
}
