package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

func init() { cases["ddp"] = ddp }

// child is the environment variable that marks a process started as a rank.
const child = "GOTORCH_BENCH_RANK"

// ddp times training steps. The argument world is the number of ranks. Each rank is a
// process: this process is rank 0, and it starts the other ranks for one measurement.
// world=0 runs the same step without a process group.
func ddp(a args) result {
	ctx := context.Background()
	world := int(a.get("world", 2))
	var others []*exec.Cmd
	if os.Getenv(child) == "" && world > 0 {
		others = startRanks(a, world)
	}
	model, x, target := ddpModel(a.get("resnet", 0) != 0)
	defer func() { check(model.Close()) }()
	forward := model.Forward
	if world > 0 {
		g := must(distributed.InitProcessGroup(ctx, distributed.Gloo, distributed.Interfaces("lo"),
			distributed.Check(a.get("check", 1) != 0)))
		defer func() { check(g.Close()) }()
		net := must(parallel.NewDistributedDataParallel(ctx, model, g))
		defer net.Release()
		forward = net.Forward
	}
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.01), optim.Momentum(0.9))
	defer func() { check(opt.Close()) }()
	nanos := timed(a.iterations, func() {
		torch.Scope(func() {
			loss := F.CrossEntropy(forward(x), target)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
		})
	})
	for _, cmd := range others {
		check(cmd.Wait())
	}
	return result{nanos: nanos}
}

func ddpModel(resnet bool) (model nn.Layer, x, target *torch.Tensor) {
	if resnet {
		return resnet18(), torch.Disown(torch.Randn(torch.Shape{2, 3, 64, 64})), torch.Disown(torch.RandIntTo(1000,
			torch.Shape{2}))
	}
	model = nn.NewSequential(nn.NewLinear(256, 512), nn.NewReLU(), nn.NewLinear(512, 512), nn.NewReLU(),
		nn.NewLinear(512, 10))
	return model, torch.Disown(torch.Randn(torch.Shape{32, 256})), torch.Disown(torch.RandIntTo(10, torch.Shape{32}))
}

// startRanks starts the ranks other than 0, with the same arguments as this process.
func startRanks(a args, world int) []*exec.Cmd {
	port := must(distributed.NewTCPStore(context.Background(), "127.0.0.1:0", distributed.IsMaster(true)))
	address := port.Port()
	check(port.Close())
	request := fmt.Sprintf("run ddp %d", a.iterations)
	for name, v := range a.named {
		request += fmt.Sprintf(" %s=%d", name, v)
	}
	env := []string{
		"MASTER_ADDR=127.0.0.1", fmt.Sprintf("MASTER_PORT=%d", address),
		fmt.Sprintf("WORLD_SIZE=%d", world),
	}
	var others []*exec.Cmd
	for r := 1; r < world; r++ {
		cmd := exec.Command(must(os.Executable()))
		cmd.Env = append(append(os.Environ(), env...), fmt.Sprintf("RANK=%d", r), child+"=1")
		cmd.Stdin, cmd.Stderr = strings.NewReader(request+"\n"), os.Stderr
		check(cmd.Start())
		others = append(others, cmd)
	}
	for _, v := range append(env, "RANK=0") {
		name, value, _ := strings.Cut(v, "=")
		check(os.Setenv(name, value))
	}
	return others
}
