package data

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
)

// What [MaxPixels] allows for each pixel: bytes of memory, and how often a sample of it is
// decoded.
const (
	bytesOfPixel = 8
	scansOfPixel = 8
)

// checkCost returns an error around [ErrFormat] for an image whose decoding takes more memory
// than MaxPixels allows.
func (s ImageSettings) checkCost(cfg image.Config, format string, b []byte) error {
	cost := decoding(cfg, format, b) + s.result(cfg)
	if most := s.MaxPixels / max(int64(cfg.Height), 1); int64(cfg.Width) > most*bytesOfPixel/cost {
		return fmt.Errorf("%w: an image of %d x %d pixels that takes %d bytes for each, and MaxPixels allows %d for %d pixels", ErrFormat, cfg.Width, cfg.Height, cost, bytesOfPixel, s.MaxPixels)
	}
	return nil
}

// decoding is how many bytes package image keeps of a pixel.
func decoding(cfg image.Config, format string, b []byte) int64 {
	kept := int64(8) // of an image whose kind nobody here knows: it is converted
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
	const interlaced = len(pngMagic) + 8 + 12 // the byte of the header that says it
	switch {
	case format == "png" && len(b) > interlaced && b[interlaced] == 1:
		kept *= 2 // each pass is an image
	case format == "jpeg":
		if cfg.ColorModel == color.RGBAModel {
			kept += 3 // it is converted
		}
		if j := jpegOf(b); j.progressive {
			pixels := max(j.width*j.height, 1)
			kept += (4*j.samples + pixels - 1) / pixels // the coefficients
		}
	}
	return kept
}

// result is how many bytes of a pixel the result has, at most.
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

// checkScans returns an error around [ErrFormat] for a JPEG file of more scans than MaxPixels
// allows. Few bytes are a scan over the whole image, which the decoder goes through for each.
func (s ImageSettings) checkScans(b []byte) error {
	j := jpegOf(b)
	if j.width*j.height > s.MaxPixels || j.scanned/scansOfPixel <= s.MaxPixels {
		return nil // of an image that is too large the decoder says so
	}
	return fmt.Errorf("%w: a JPEG image of %d x %d pixels in %d scans, and MaxPixels allows %d for %d pixels", ErrFormat, j.width, j.height, j.scans, scansOfPixel, s.MaxPixels)
}

// jpegFile is what the markers of a JPEG file say.
type jpegFile struct {
	width, height    int64
	progressive      bool
	scans            int
	samples, scanned int64 // of the image, and of all scans
}

// jpegOf looks through the markers of a file. It believes damaged ones as far as it understands
// them; the decoder finds the damage.
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
		if b = b[next:]; len(b) < 4 { // behind the bytes of a scan
			return j
		}
		marker := b[1]
		switch {
		case marker == 0 || marker == 1 || marker == 0xff || marker >= 0xd0 && marker <= 0xd8:
			b = b[1:] // no marker, padding, or a marker without a segment
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
				return j // decoders give up here, and what it says of the size is not the image's
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

// frame reads the size of the image and how much of it each component has.
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
		area[components[i]] = j.width * j.height * h * v / (widest * highest)
		j.samples += area[components[i]]
	}
}
