package shop

enum class Step { CART, ADDRESS, PAYMENT, DONE }

class Checkout(private val log: (String) -> Unit) {
    var step = Step.CART
        private set

    fun next() {
        log("leaving $step")
        step = when (step) {
            Step.CART -> Step.ADDRESS
            Step.ADDRESS -> Step.PAYMENT
            Step.PAYMENT -> Step.DONE
            Step.DONE -> Step.DONE
        }
    }

    fun title(): String = when (step) {
        Step.CART -> "Cart"
        Step.ADDRESS -> "Address"
        Step.PAYMENT -> "Payment"
        Step.DONE -> "Thank you"
    }
}
