package data

import (
	"image"
	"image/color"
	"image/draw"
)

// rows8 returns a function that writes row y of an image to dst. Each pixel is four bytes:
// red, green, blue and alpha, where the colors are not premultiplied by alpha. For the
// types of package image, the function makes no call per pixel.
func rows8(img image.Image) func(dst []uint8, y int) {
	x0 := img.Bounds().Min.X
	switch img := img.(type) {
	case *image.YCbCr:
		return func(dst []uint8, y int) { ycbcrRow(dst, img, y, 4) }
	case *image.Gray:
		return func(dst []uint8, y int) {
			src := img.Pix[img.PixOffset(x0, y):]
			for i := 0; i < len(dst); i += 4 {
				v := src[i/4]
				dst[i], dst[i+1], dst[i+2], dst[i+3] = v, v, v, 0xff
			}
		}
	case *image.NRGBA:
		return func(dst []uint8, y int) { copy(dst, img.Pix[img.PixOffset(x0, y):]) }
	case *image.Paletted:
		var palette [256][4]uint8 // a pixel whose index is beyond the palette becomes 0
		for i, c := range img.Palette {
			n := color.NRGBAModel.Convert(c).(color.NRGBA)
			palette[i] = [4]uint8{n.R, n.G, n.B, n.A}
		}
		return func(dst []uint8, y int) {
			src := img.Pix[img.PixOffset(x0, y):]
			for i := 0; i < len(dst); i += 4 {
				*(*[4]uint8)(dst[i:]) = palette[src[i/4]]
			}
		}
	case *image.CMYK:
		return func(dst []uint8, y int) { inkRow(dst, img.Pix[img.PixOffset(x0, y):]) }
	case *image.RGBA:
		if img.Opaque() {
			return func(dst []uint8, y int) { copy(dst, img.Pix[img.PixOffset(x0, y):]) }
		}
	}
	converted := image.NewNRGBA(img.Bounds())
	draw.Draw(converted, converted.Bounds(), img, img.Bounds().Min, draw.Src)
	return rows8(converted)
}

// rows16 is rows8 with 16 bits per channel.
func rows16(img image.Image) func(dst []uint16, y int) {
	x0 := img.Bounds().Min.X
	read := func(src []uint8, dst []uint16) {
		for i := range dst {
			dst[i] = uint16(src[2*i])<<8 | uint16(src[2*i+1])
		}
	}
	switch img := img.(type) {
	case *image.Gray16:
		return func(dst []uint16, y int) {
			src := img.Pix[img.PixOffset(x0, y):]
			for i := 0; i < len(dst); i += 4 {
				v := uint16(src[i/2])<<8 | uint16(src[i/2+1])
				dst[i], dst[i+1], dst[i+2], dst[i+3] = v, v, v, 0xffff
			}
		}
	case *image.NRGBA64:
		return func(dst []uint16, y int) { read(img.Pix[img.PixOffset(x0, y):], dst) }
	case *image.RGBA64:
		if img.Opaque() {
			return func(dst []uint16, y int) { read(img.Pix[img.PixOffset(x0, y):], dst) }
		}
	}
	converted := image.NewNRGBA64(img.Bounds())
	draw.Draw(converted, converted.Bounds(), img, img.Bounds().Min, draw.Src)
	return rows16(converted)
}

// ycbcrRow writes row y of img to dst. channels is 3 for RGB, or 4 for RGBA.
func ycbcrRow(dst []uint8, img *image.YCbCr, y, channels int) {
	x0 := img.Rect.Min.X
	luma := img.Y[img.YOffset(x0, y):]
	for x := range len(dst) / channels {
		c := img.COffset(x0+x, y)
		d := dst[x*channels:]
		d[0], d[1], d[2] = color.YCbCrToRGB(luma[x], img.Cb[c], img.Cr[c])
		if channels == 4 {
			d[3] = 0xff
		}
	}
}

// storedCMYK converts CMYK values from package image's convention to the convention of
// JPEG files and torchvision, in which 255 means no ink.
func storedCMYK(dst, ink []uint8) {
	for i := range dst {
		dst[i] = 255 - ink[i]
	}
}

// inkRow converts a row of CMYK pixels to RGBA, as torchvision and Pillow do.
func inkRow(dst, ink []uint8) {
	for i := 0; i < len(dst); i += 4 {
		paper := 255 - int(ink[i+3])
		for c := range 3 {
			v := paper*int(ink[i+c]) + 128
			dst[i+c] = uint8(max(paper-(v>>8+v)>>8, 0))
		}
		dst[i+3] = 0xff
	}
}

// These functions return the gray value of a pixel. reds8 is for pixels whose red, green
// and blue are equal. grays8 has libpng's weights: torchvision passes 0.2989 and 0.587 to
// libpng, which rounds them to multiples of 1/32768. grays8OfInks is for pixels from CMYK
// and has Pillow's weights.
func reds8(p []uint8) uint8 { return p[0] }

func grays8(p []uint8) uint8 {
	if p[0] == p[1] && p[1] == p[2] {
		return p[0]
	}
	return uint8((9794*uint32(p[0]) + 19234*uint32(p[1]) + 3740*uint32(p[2])) >> 15)
}

func grays8OfInks(p []uint8) uint8 {
	return uint8((19595*uint32(p[0]) + 38470*uint32(p[1]) + 7471*uint32(p[2]) + 0x8000) >> 16)
}

// pack8 converts a row of RGBA pixels to a row with the given number of channels. gray
// computes the gray value of a pixel.
func pack8(dst, rgba []uint8, channels int, gray func(p []uint8) uint8) {
	switch channels {
	case 1:
		for i := range dst {
			dst[i] = gray(rgba[4*i:])
		}
	case 2:
		for i := 0; i < len(dst); i += 2 {
			dst[i], dst[i+1] = gray(rgba[2*i:]), rgba[2*i+3]
		}
	case 3:
		for i, j := 0, 0; i < len(dst); i, j = i+3, j+4 {
			dst[i], dst[i+1], dst[i+2] = rgba[j], rgba[j+1], rgba[j+2]
		}
	default:
		copy(dst, rgba)
	}
}

// pack16 is pack8 with 16 bits per channel. isGray says whether red, green and blue are
// equal.
func pack16(dst, rgba []uint16, channels int, isGray bool) {
	gray := func(p []uint16) uint16 {
		if isGray || p[0] == p[1] && p[1] == p[2] {
			return p[0]
		}
		return uint16((9794*uint32(p[0]) + 19234*uint32(p[1]) + 3740*uint32(p[2]) + 16384) >> 15)
	}
	switch channels {
	case 1:
		for i := range dst {
			dst[i] = gray(rgba[4*i:])
		}
	case 2:
		for i := 0; i < len(dst); i += 2 {
			dst[i], dst[i+1] = gray(rgba[2*i:]), rgba[2*i+3]
		}
	case 3:
		for i, j := 0, 0; i < len(dst); i, j = i+3, j+4 {
			dst[i], dst[i+1], dst[i+2] = rgba[j], rgba[j+1], rgba[j+2]
		}
	default:
		copy(dst, rgba)
	}
}
