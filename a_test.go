package lim
import ("testing";"runtime/metrics";"runtime/debug";"os";"syscall")
func BenchmarkMetrics1(b *testing.B){ s:=[]metrics.Sample{{Name:"/gc/gomemlimit:bytes"}}; for b.Loop(){metrics.Read(s)}}
func BenchmarkMetrics3(b *testing.B){ s:=[]metrics.Sample{{Name:"/gc/gomemlimit:bytes"},{Name:"/memory/classes/total:bytes"},{Name:"/memory/classes/heap/released:bytes"}}; for b.Loop(){metrics.Read(s)}}
func BenchmarkDebug(b *testing.B){ for b.Loop(){debug.SetMemoryLimit(-1)}}
func BenchmarkUsage(b *testing.B){ for b.Loop(){os.ReadFile("/sys/fs/cgroup/memory/memory.usage_in_bytes")}}
func BenchmarkStat(b *testing.B){ for b.Loop(){os.ReadFile("/sys/fs/cgroup/memory/memory.stat")}}
func BenchmarkStatm(b *testing.B){ for b.Loop(){os.ReadFile("/proc/self/statm")}}
func BenchmarkMeminfo(b *testing.B){ for b.Loop(){os.ReadFile("/proc/meminfo")}}
func BenchmarkCgroup(b *testing.B){ for b.Loop(){os.ReadFile("/proc/self/cgroup")}}
func BenchmarkMountinfo(b *testing.B){ for b.Loop(){os.ReadFile("/proc/self/mountinfo")}}
func BenchmarkPreadUsage(b *testing.B){ f,_:=os.Open("/sys/fs/cgroup/memory/memory.usage_in_bytes"); var buf [32]byte; for b.Loop(){syscall.Pread(int(f.Fd()),buf[:],0)}}
