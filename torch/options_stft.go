package torch

// An STFTOption says how [Tensor.STFT] cuts a signal into frames: [HopLength],
// [WinLength], [Window], [Center], [PadMode], [Normalized], [Onesided].
//
//gotorch:options HopLength WinLength WindowOption Center PadMode Normalized Onesided
type STFTOption interface{ stftOption() }

// An ISTFTOption says how [Tensor.ISTFT] puts a signal together: [HopLength],
// [WinLength], [Window], [Center], [Normalized], [Onesided], [Length],
// [ReturnComplex].
//
//gotorch:options HopLength WinLength WindowOption Center Normalized Onesided Length ReturnComplex
type ISTFTOption interface{ istftOption() }

// HopLength is the distance between neighbouring frames, hop_length in Python.
// The default is a quarter of the size of the transform.
type HopLength int64

// WinLength is the size of the window, win_length in Python; it is padded with
// zeros on both sides to the size of the transform, which is the default.
type WinLength int64

// Center says that frame i is centered at element i times [HopLength], for
// which the signal is padded at both ends; otherwise it begins there. The
// default is true.
type Center bool

// PadMode says how [Center] pads, pad_mode in Python. The default is
// PadModeReflect.
type PadMode string

// The ways to pad a signal.
const (
	PadModeReflect   PadMode = "reflect"
	PadModeConstant  PadMode = "constant"
	PadModeReplicate PadMode = "replicate"
	PadModeCircular  PadMode = "circular"
)

// Normalized says that the transform is divided by the square root of its size.
// The default is false.
type Normalized bool

// Onesided says that the half of the frequencies that mirrors the other is left
// out. The default is true for real signals and windows, else false.
type Onesided bool

// Length is how many elements the signal has; it is cut, or filled up with
// zeros. By default it follows from the frames.
type Length int64

// ReturnComplex says that the signal is complex, return_complex in Python. The
// default is false.
type ReturnComplex bool

// A WindowOption is what [Window] returns.
type WindowOption struct{ t *Tensor }

// Window gives the weights of the elements of a frame: a vector of [WinLength]
// numbers such as [HannWindow] returns. A nil one, the default, is all ones.
func Window(t *Tensor) WindowOption { return WindowOption{t} }
