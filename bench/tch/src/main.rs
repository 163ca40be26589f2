//! The tch-rs peer: answers "run CASE ITERATIONS [key=value ...]" on standard
//! input with "ok NANOSECONDS" or "err TEXT" on standard output.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::time::Instant;
use tch::nn::{Module, OptimizerConfig};
use tch::{nn, Device, Kind, Tensor};

type Args = HashMap<String, i64>;

/// Runs the body a twentieth as often to warm up, then takes the time of n runs.
fn timed(n: i64, mut body: impl FnMut()) -> u128 {
    for _ in 0..n / 20 + 1 {
        body();
    }
    let start = Instant::now();
    for _ in 0..n {
        body();
    }
    start.elapsed().as_nanos()
}

fn add(n: i64, args: &Args) -> u128 {
    let size = *args.get("n").unwrap_or(&1);
    let a = Tensor::ones([size], (Kind::Float, Device::Cpu));
    let b = Tensor::ones([size], (Kind::Float, Device::Cpu));
    timed(n, || {
        let _sum = &a + &b;
    })
}

/// The 32-64-64-10 network of the mlp cases.
fn mlp(vs: &nn::Path) -> nn::Sequential {
    nn::seq()
        .add(nn::linear(vs / "0", 32, 64, Default::default()))
        .add_fn(|x| x.relu())
        .add(nn::linear(vs / "2", 64, 64, Default::default()))
        .add_fn(|x| x.relu())
        .add(nn::linear(vs / "4", 64, 10, Default::default()))
}

fn mlp_step(n: i64) -> Result<u128, tch::TchError> {
    let vs = nn::VarStore::new(Device::Cpu);
    let net = mlp(&vs.root());
    let mut opt = nn::AdamW::default().build(&vs, 1e-3)?;
    let x = Tensor::randn([16, 32], (Kind::Float, Device::Cpu));
    let y = Tensor::randint(10, [16], (Kind::Int64, Device::Cpu));
    Ok(timed(n, || {
        let loss = net.forward(&x).cross_entropy_for_logits(&y);
        opt.backward_step(&loss);
    }))
}

fn mlp_forward(n: i64) -> u128 {
    let vs = nn::VarStore::new(Device::Cpu);
    let net = mlp(&vs.root());
    let x = Tensor::randn([16, 32], (Kind::Float, Device::Cpu));
    tch::no_grad(|| {
        timed(n, || {
            let _logits = net.forward(&x);
        })
    })
}

fn answer(line: &str) -> Result<u128, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.len() < 3 || words[0] != "run" {
        return Err(format!("bad request {line:?}"));
    }
    let n: i64 = words[2].parse().map_err(|_| "bad iteration count".to_string())?;
    let mut args = Args::new();
    for word in &words[3..] {
        let (key, value) = word.split_once('=').ok_or("bad argument")?;
        args.insert(key.into(), value.parse().map_err(|_| "bad argument")?);
    }
    tch::set_num_threads(*args.get("threads").unwrap_or(&1) as i32);
    match words[1] {
        "add" => Ok(add(n, &args)),
        "mlp.step" => mlp_step(n).map_err(|e| e.to_string()),
        "mlp.forward" => Ok(mlp_forward(n)),
        other => Err(format!("no case {other}")),
    }
}

fn main() {
    let mut out = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let reply = match answer(&line) {
            Ok(ns) => format!("ok {ns}"),
            Err(text) => format!("err {}", text.replace('\n', " ")),
        };
        if writeln!(out, "{reply}").and_then(|()| out.flush()).is_err() {
            break;
        }
    }
}
