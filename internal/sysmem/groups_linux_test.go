package sysmem_test

import (
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/sysmem"
)

const mib = 1 << 20

// tree returns the system files of a machine with 32 GiB of memory, of which 24 GiB are
// available. The argument with contains additional files.
func tree(with map[string]string) fs.FS {
	files := fstest.MapFS{"proc/meminfo": {Data: []byte("MemTotal:       33554432 kB\nMemFree: 1 kB\nMemAvailable:   " +
		"25165824 kB\n")}}
	for name, text := range with {
		files[name] = &fstest.MapFile{Data: []byte(text + "\n")}
	}
	return files
}

// These are lines of /proc/self/mountinfo from real systems.
const (
	mountV1 = "31 23 0:28 / /sys/fs/cgroup ro,nosuid,nodev,noexec shared:9 - tmpfs tmpfs ro,mode=755\n32 31 0:29 " +
		"/ /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:10 - cgroup cgroup rw,cpu,cpuacct\n36 31 0:32 / " +
		"/sys/fs/cgroup/memory rw,nosuid,nodev,noexec,relatime shared:15 - cgroup cgroup rw,memory"
	mountV2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:4 - cgroup2 cgroup2 " +
		"rw,nsdelegate,memory_recursiveprot"
	mountHybrid = mountV1 + "\n33 31 0:30 / /sys/fs/cgroup/unified rw,nosuid,nodev,noexec,relatime shared:11 - " +
		"cgroup2 cgroup2 rw"
)

func of(bytes int64) string { return fmt.Sprint(bytes) }

// The control groups of a process and their memory limits are found on common systems.
func TestGroupsOfSystems(t *testing.T) {
	const (
		v1, v2    = "sys/fs/cgroup/memory", "sys/fs/cgroup"
		unlimited = "9223372036854771712"
		job       = "/slurm/uid_1000/job_77"
		user      = "/user.slice/user-1000.slice/user@1000.service/app.slice/run-u9.scope"
		pod       = "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1.slice"
		container = "/docker/0123456789ab"
	)
	for name, c := range map[string]struct {
		files       map[string]string
		free, total int64 // MiB
		tightest    string
	}{
		"no control groups": {map[string]string{}, 24 << 10, 32 << 10, ""},
		"v2 without limits": {map[string]string{
			"proc/self/cgroup": "0::/user.slice/user-0.slice", "proc/self/mountinfo": mountV2,
			v2 + "/user.slice/user-0.slice/memory.max": "max", v2 + "/user.slice/user-0.slice/memory.high": "max",
			v2 + "/user.slice/memory.max": "max",
		}, 24 << 10, 32 << 10, ""},
		"v1 without limits, hybrid": {map[string]string{
			"proc/self/cgroup":                       "4:memory:/user.slice\n3:cpu,cpuacct:/user.slice\n0::/user.slice",
			"proc/self/mountinfo":                    mountHybrid,
			v1 + "/user.slice/memory.limit_in_bytes": unlimited, v1 + "/memory.limit_in_bytes": unlimited,
			v1 + "/user.slice/memory.stat": "hierarchical_memory_limit " + unlimited,
		}, 24 << 10, 32 << 10, ""},
		// Slurm sets the limit on the job. The process belongs to a task in a step of the
		// job. The step and the task have no limit of their own.
		"Slurm, v1": {map[string]string{
			"proc/self/cgroup": "11:cpuset:" + job + "/step_0\n4:memory:" + job +
				"/step_0/task_0\n1:name=systemd:/system.slice/slurmd.service", "proc/self/mountinfo": mountV1,
			v1 + job + "/step_0/task_0/memory.limit_in_bytes": unlimited,
			v1 + job + "/step_0/task_0/memory.stat":           "cache 1\nhierarchical_memory_limit " + of(700*mib),
			v1 + job + "/step_0/task_0/memory.usage_in_bytes": of(50 * mib),
			v1 + job + "/step_0/memory.limit_in_bytes":        unlimited,
			v1 + job + "/memory.limit_in_bytes":               of(700 * mib),
			v1 + job + "/memory.usage_in_bytes":               of(400 * mib),
			v1 + job + "/memory.use_hierarchy":                "1",
			v1 + job + "/memory.stat": "inactive_file 5\ntotal_inactive_file " +
				"" + of(60*mib) + "\ntotal_active_file " + of(50*mib) + "\ntotal_mapped_file " + of(40*mib),
			v1 + "/memory.limit_in_bytes": unlimited,
		}, 370, 700, "/" + v1 + job},
		"v1 above that does not count what is below": {map[string]string{
			"proc/self/cgroup": "4:memory:/a/b", "proc/self/mountinfo": mountV1,
			v1 + "/a/b/memory.limit_in_bytes": of(900 * mib), v1 + "/a/b/memory.usage_in_bytes": of(100 * mib),
			v1 + "/a/memory.limit_in_bytes": of(10 * mib), v1 + "/a/memory.use_hierarchy": "0",
		}, 800, 900, "/" + v1 + "/a/b"},
		"systemd's slices, v2": {map[string]string{
			"proc/self/cgroup": "0::" + user, "proc/self/mountinfo": mountV2,
			v2 + user + "/memory.max":                         "max",
			v2 + user + "/memory.high":                        of(900 * mib),
			v2 + user + "/memory.current":                     of(100 * mib),
			v2 + user + "/memory.stat":                        "anon 1\ninactive_file 0",
			v2 + "/user.slice/user-1000.slice/memory.max":     of(2000 * mib),
			v2 + "/user.slice/user-1000.slice/memory.current": of(1700 * mib),
			v2 + "/user.slice/user-1000.slice/memory.stat": "anon 1\nfile_mapped " +
				"" + of(30*mib) + "\ninactive_file " + of(100*mib) + "\nactive_file " + of(20*mib),
		}, 400, 900, "/" + v2 + "/user.slice/user-1000.slice"},
		// A container sees only its own group. The limit of its pod appears in
		// memory.stat.
		"Kubernetes, v1": {map[string]string{
			"proc/self/cgroup": "4:memory:/kubepods/burstable/pod1/0123",
			"proc/self/mountinfo": "700 690 0:32 /kubepods/burstable/pod1/0123 /sys/fs/cgroup/memory " +
				"ro,nosuid,nodev,noexec,relatime master:15 - cgroup cgroup rw,memory",
			v1 + "/memory.limit_in_bytes": unlimited, v1 + "/memory.usage_in_bytes": of(300 * mib),
			v1 + "/memory.stat": "hierarchical_memory_limit " + of(1024*mib) + "\ntotal_inactive_file " + of(100*mib),
		}, 824, 1024, "/" + v1},
		"Kubernetes, v2": {map[string]string{
			"proc/self/cgroup":    "0::/",
			"proc/self/mountinfo": "700 690 0:26 / /sys/fs/cgroup ro,nosuid,nodev,noexec,relatime - cgroup2 cgroup rw",
			v2 + "/memory.max":    of(1024 * mib), v2 + "/memory.current": of(512 * mib), v2 + "/memory.high": "max",
		}, 512, 1024, "/" + v2},
		"a process of the node, v2": {map[string]string{
			"proc/self/cgroup": "0::" + pod + "/cri-containerd-0123.scope", "proc/self/mountinfo": mountV2,
			v2 + pod + "/cri-containerd-0123.scope/memory.max":     of(1024 * mib),
			v2 + pod + "/cri-containerd-0123.scope/memory.current": of(100 * mib),
			v2 + pod + "/memory.max":                               of(2048 * mib),
			v2 + pod + "/memory.current":                           of(2040 * mib),
		}, 8, 1024, "/" + v2 + pod},
		"Docker with a namespace, v2": {map[string]string{
			"proc/self/cgroup": "0::/", "proc/self/mountinfo": "30 23 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup rw",
			v2 + "/memory.max": of(300 * mib), v2 + "/memory.current": of(400 * mib),
		}, 0, 300, "/" + v2},
		"Docker without a namespace, v1": {map[string]string{
			"proc/self/cgroup": "4:memory:" + container + "\n0::" + container,
			"proc/self/mountinfo": "36 31 0:32 " + container + " /sys/fs/cgroup/memory ro - cgroup cgroup " +
				"rw,memory",
			v1 + "/memory.limit_in_bytes": of(300 * mib), v1 + "/memory.usage_in_bytes": of(200 * mib),
		}, 100, 300, "/" + v1},
		"Docker without a namespace, v2, and only the container's group mounted": {map[string]string{
			"proc/self/cgroup":    "0::/system.slice/docker-01.scope",
			"proc/self/mountinfo": "30 23 0:26 /../.. /sys/fs/cgroup ro - cgroup2 cgroup rw",
			v2 + "/memory.max":    of(300 * mib), v2 + "/memory.current": of(200 * mib),
		}, 100, 300, "/" + v2},
		"a process outside of its namespace": {map[string]string{
			"proc/self/cgroup": "0::/../other", "proc/self/mountinfo": mountV2,
			v2 + "/memory.max": of(300 * mib), v2 + "/memory.current": of(200 * mib),
		}, 100, 300, "/" + v2},
		"mounted elsewhere, in a folder with a space": {map[string]string{
			"proc/self/cgroup": "0::/a", "proc/self/mountinfo": `30 23 0:26 / /my\040groups rw - cgroup2 none rw`,
			"my groups/a/memory.max": of(300 * mib), "my groups/a/memory.current": of(200 * mib),
		}, 100, 300, "/my groups/a"},
		"more than the machine has": {map[string]string{
			"proc/self/cgroup": "0::/", "proc/self/mountinfo": mountV2,
			v2 + "/memory.max": of(64 << 30), v2 + "/memory.current": of(1 << 30),
		}, 24 << 10, 32 << 10, ""},
		"what is no number": {map[string]string{
			"proc/self/cgroup": "0::/a\nnonsense\n::", "proc/self/mountinfo": mountV2 + "\nnonsense - x\n - ",
			v2 + "/a/memory.max": "much", v2 + "/a/memory.current": "little", v2 + "/memory.max": "0",
		}, 24 << 10, 32 << 10, ""},
	} {
		t.Run(name, func(t *testing.T) {
			free, total, err := sysmem.MachineIn(tree(c.files))
			require.NoError(t, err)
			assert.Equal(t, [2]int64{c.free, c.total}, [2]int64{free >> 20, total >> 20}, "%+v",
				sysmem.GroupsIn(tree(c.files)))
			g, ok := sysmem.TightestIn(tree(c.files))
			assert.Equal(t, c.tightest != "", ok)
			assert.Equal(t, c.tightest, g.Path)
		})
	}
}

func TestMachineThatDoesNotTell(t *testing.T) {
	for _, text := range []string{"", "MemTotal:\nMemAvailable: much kB\nno colon here\n\n"} {
		_, _, err := sysmem.MachineIn(fstest.MapFS{"proc/meminfo": {Data: []byte(text)}})
		require.ErrorContains(t, err, "/proc/meminfo has no MemTotal")
	}
	_, _, err := sysmem.MachineIn(fstest.MapFS{})
	require.Error(t, err)
}
