terraform {
  required_version = ">= 1.0"
}

# The bucket.
resource "aws_s3_bucket" "data" {
  bucket = "x"

  lifecycle {
    prevent_destroy = true
  }
}

variable "region" {
  default = "eu"
}
