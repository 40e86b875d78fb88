# A flowid on a filter of a cake makes one flow of everything (dscpclassify pull request 1).
tc qdisc replace dev br-lan root handle 1: cake bandwidth 80mbit besteffort
tc filter add dev br-lan parent 1: protocol all matchall action ctinfo dscp 63 128 flowid 1:1
