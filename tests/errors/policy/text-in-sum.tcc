let d = "eth0"
link wan {
    device "eth0"
    egress { bandwidth d + 5mbit }
}
