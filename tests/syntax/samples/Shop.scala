package example

import scala.util.Try

/** A shop. */
@deprecated
case class Shop(name: String, size: Int) extends Base {
  val limit = 10
  type Id = Int

  // sells
  def sell(
      item: String
  ): Int = {
    def local(x: Int) = x
    1
  }

  def twice(x: Int): Int = x * 2
}

object Shop {
  def apply(): Shop = new Shop("x", 1)
}

trait Area {
  def area: Double
}
