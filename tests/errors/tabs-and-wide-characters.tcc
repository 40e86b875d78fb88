objective "家庭用回線" {	require	egress goodput >= 5mbps
}
objective "été" { under rrul for 5 }; let x = 1kb
