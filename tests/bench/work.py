"""What controllers, scheduler and nodes share: the view of all Pods, and events (4 a Pod), at 10,000 Pods; measured from inside."""
import os
import subprocess

said = subprocess.run([os.path.join(os.environ["BENCH_BUILD"], "tests/bench/work")], check=True, capture_output=True, text=True).stdout
value = {name: float(number) for name, number in (line.split() for line in said.splitlines())}
beside = value["event_us"] - value["parse_us"]
own = value["core_event_us"] - value["plain_event_us"]
print(f"a Pod's event {value['event_us']:.1f} us of processor, {value['parse_us']:.1f} of them its document of {value['text_bytes']:.0f} bytes (goal: a few beside that: {beside:.1f})")
print(f"a Pod in the view {value['bytes_a_pod']:.0f} bytes (goal 500)")
print(f"by uid, address and name {value['three_lookups_us']:.2f} us together")
print(f"an event of the recorder {value['core_event_us']:.1f} us, modern {value['modern_event_us']:.1f}; of these the API's own {value['plain_event_us']:.1f}")
print(f"4 a Pod at 10,000 Pods beside the API's: {own * 40000 / 1e6:.2f} s (goal well under 1)")
