package faults_test

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// wire is a link between two network namespaces, for kernels without netem. Each namespace has a
// device. This program carries packets between the devices with a delay, and loses some.
type wire struct {
	ends    [2]*os.File
	silent  atomic.Bool // lose all packets
	carried atomic.Int64
	lost    atomic.Int64
}

const (
	delay, jitter = 20 * time.Millisecond, 5 * time.Millisecond // the delay in each direction
	loss          = 0.01                                        // the share of packets that are lost
	queue         = 4096                                        // the largest number of packets in flight
)

// newWire makes two devices, which the caller moves to their namespaces. They are removed
// when the test ends.
func newWire(t *testing.T, names [2]string) (*wire, error) {
	w := &wire{}
	for i, name := range names {
		f, err := openDevice(name)
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { assert.NoError(t, f.Close()) })
		w.ends[i] = f
	}
	var all sync.WaitGroup
	t.Cleanup(func() {
		for _, f := range w.ends {
			_ = f.SetDeadline(time.Now()) // ends waiting reads
		}
		all.Wait()
	})
	for i := range w.ends {
		all.Go(func() { w.carry(w.ends[i], w.ends[1-i], rand.New(rand.NewPCG(7, uint64(i)))) })
	}
	return w, nil
}

// openDevice makes a network device whose packets are written to and read from a file.
func openDevice(name string) (*os.File, error) {
	fd, err := syscall.Open("/dev/net/tun", syscall.O_RDWR|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, os.NewSyscallError("open /dev/net/tun", err)
	}
	var request [40]byte // struct ifreq
	copy(request[:syscall.IFNAMSIZ-1], name)
	binary.NativeEndian.PutUint16(request[syscall.IFNAMSIZ:], syscall.IFF_TUN|syscall.IFF_NO_PI)
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.TUNSETIFF,
		uintptr(unsafe.Pointer(&request))); e != 0 {
		_ = syscall.Close(fd)
		return nil, os.NewSyscallError("TUNSETIFF", e)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// carry carries the packets of one direction, in order.
func (w *wire) carry(from, to *os.File, chance *rand.Rand) {
	type packet struct {
		bytes []byte
		due   time.Time
	}
	under := make(chan packet, queue)
	var all sync.WaitGroup
	defer all.Wait()
	defer close(under)
	all.Go(func() {
		for p := range under {
			time.Sleep(time.Until(p.due)) // the delay itself
			_, _ = to.Write(p.bytes)      // ignore the error: the write fails while the device is down
		}
	})
	for {
		p := packet{bytes: make([]byte, 2048)}
		n, err := from.Read(p.bytes)
		if errors.Is(err, syscall.EIO) || errors.Is(err, syscall.EBADFD) { // the device is down
			time.Sleep(time.Millisecond)
			continue
		}
		if err != nil {
			return
		}
		if w.silent.Load() || chance.Float64() < loss {
			w.lost.Add(1)
			continue
		}
		w.carried.Add(1)
		p.bytes, p.due = p.bytes[:n], time.Now().Add(delay-jitter+time.Duration(chance.Int64N(int64(2*jitter))))
		select {
		case under <- p:
		default:
			w.lost.Add(1)
		}
	}
}
