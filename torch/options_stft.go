package torch

// An STFTOption is an option of [Tensor.STFT]: [HopLength], [WinLength],
// [Window], [Center], [PadMode], [Normalized] or [Onesided].
//
//gotorch:options HopLength WinLength WindowOption Center PadMode Normalized Onesided
type STFTOption interface{ stftOption() }

// An ISTFTOption is an option of [Tensor.ISTFT]: [HopLength], [WinLength],
// [Window], [Center], [Normalized], [Onesided], [Length] or [ReturnComplex].
//
//gotorch:options HopLength WinLength WindowOption Center Normalized Onesided Length ReturnComplex
type ISTFTOption interface{ istftOption() }

// HopLength is the distance between neighboring frames. The default is a quarter of the
// transform's size. It is hop_length in Python.
type HopLength int64

// WinLength is the size of the window, which is padded with zeros to the
// transform's size. The default is the transform's size. It is win_length in
// Python.
type WinLength int64

// Center pads the signal at both ends so that frame i is centered at element i
// times [HopLength]. With Center(false), frame i begins at that element. The
// default is true. It is center in Python.
type Center bool

// PadMode sets how [Center] pads. The default is PadModeReflect. It is pad_mode
// in Python.
type PadMode string

// These are the ways to pad a signal.
const (
	PadModeReflect   PadMode = "reflect"
	PadModeConstant  PadMode = "constant"
	PadModeReplicate PadMode = "replicate"
	PadModeCircular  PadMode = "circular"
)

// Normalized divides the transform by the square root of its size. The default
// is false. The name in Python is normalized.
type Normalized bool

// Onesided omits the half of the frequencies that mirrors the other half. The
// default is true for real signals and windows, otherwise false. The name in
// Python is onesided.
type Onesided bool

// Length is the number of elements of the signal, which is cut or padded with
// zeros. The default follows from the frames. It is length in Python.
type Length int64

// ReturnComplex makes the signal complex. The default is false. It is
// return_complex in Python.
type ReturnComplex bool

// A WindowOption holds the tensor passed to [Window].
type WindowOption struct{ t *Tensor }

// Window sets the weights of a frame: a vector of [WinLength] numbers, such as
// [HannWindow] returns. The default, nil, means all ones. It is window in
// Python.
func Window(t *Tensor) WindowOption { return WindowOption{t} }
