"""The practice cluster's HTTP server alone: TLS, answers, a streamed list beside other requests."""
from bench import *

before_others()
found = measure("http_answers", "5")
figure("keys and certificates made, listening", found["start_ms"][0], "ms", "goal of the whole start: under 30")
figure("answers of 2 KB on 8 kept connections", found["answers_s"][0], "/s", "goal: tens of thousands")
figure("  99 of 100 took at most", found["p99_ms"][0], "ms")
figure("a list of 47 MB, streamed", found["list_alone_ms"][0], "ms", "goal: under 110")
figure("  beside another connection's requests", found["list_ms"][0], "ms")
figure("  to its first byte", found["list_first_ms"][0], "ms")
figure("  99 of 100 of those requests took at most", found["others_p99_ms"][0], "ms", "goal: under 2")
figure("the same list, compressed", found["gzip_ms"][0], "ms")
figure("  99 of 100 of the other requests took at most", found["gzip_others_p99_ms"][0], "ms", "goal: under 2")
figure("a handshake, both ends", found["handshake_ms"][0], "ms")
figure("memory of an idle connection", found["idle_kib"][0], "KiB")
